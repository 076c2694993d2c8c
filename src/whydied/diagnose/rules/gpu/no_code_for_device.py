"""The installed TensorFlow has no code for this GPU.

## What it detects
Work on a GPU that failed with "no kernel image is available", `CUDA_ERROR_NO_BINARY_FOR_GPU`, `CUDA_ERROR_INVALID_PTX`,
or with `CUDA_ERROR_INVALID_HANDLE` at a launch after one of these in the log.

## Why it happens
A build has binaries for some compute capabilities, and PTX (code that the driver compiles) for one more. A GPU that is
older than all of them has no code at all. For one that is newer the PTX is compiled at the first use, which takes long
and fails for some kernels.

## Evidence
The device's compute capability from NVML, or from the framework's log; the list of capabilities in the build
(`tf.sysconfig.get_build_info()`), as the program loaded it; the exception.

## How it is proved
The driver's words, or a device whose capability none of the build's binaries is for: certain. An invalid handle beside
a warning that the build has no binaries for the device: likely. Where the build does have a binary for the device, it
is code of somebody else (a custom op) that lacks one: nothing is said.

## Fix
A release that was built for the device: a newer one for a new GPU, an older one for an old GPU. For new GPUs NVIDIA's
containers (nvcr.io/nvidia/tensorflow) have code before the wheels do. To go on without the GPU:
`CUDA_VISIBLE_DEVICES=-1`.

## Known problems
With several GPUs, the one that failed is known only where the log names its capability or all have the same.

## References
tensorflow/tensorflow issues 89272, 90291, 97387, 99592, 101746; pytorch/pytorch issue 167244.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.gpu import builds
from whydied.diagnose.gpu.devices import Failure, failure_of, log_lines, place_of
from whydied.native.compute_capability import Capability, Coverage, capability, coverage
from whydied.records import DevicesSeen
from whydied.texts import gpu_failures
from whydied.texts.entry import any_of

_IN_LOG = any_of(gpu_failures.NO_CODE_FOR_DEVICE, gpu_failures.NOT_BUILT_FOR, gpu_failures.DEVICE_OF_TORCH)

ROLE = "cause"


class Device(NamedTuple):
    name: str
    capability: Capability | None


def check(case: Case) -> Finding | None:
    failure = failure_of(case)
    log = case.recording.output
    certainty = _certainty(failure, log)
    if failure is None or certainty is None:
        return None
    device, build = _device(case, f"{log}\n{failure.text}"), builds.build_of(case)
    covered = builds.coverage_of(build) or _of_torch(log)
    if device.capability and covered and covered.runs_on(device.capability):
        return None
    place, seen = place_of(case, failure)
    library = builds.spelled(build) if build else "the installed build"
    return Finding(
        message=f"{prefix(place)}{_sentence(device, library, covered)}",
        certainty="certain" if device.capability and covered else certainty,
        location=place,
        culprit=Culprit(kind="device", name=device.name),
        evidence=[*seen, *log_lines(case, _IN_LOG), *_facts(device, library, covered)],
        advice=_advice(device, build, covered),
    )


def _certainty(failure: Failure | None, log: str) -> Certainty | None:
    if failure is None:
        return None
    if gpu_failures.NO_CODE_FOR_DEVICE.search(failure.text):
        return "certain"
    if not gpu_failures.KERNEL_NOT_LOADED.search(failure.text):
        return None
    if gpu_failures.NO_CODE_FOR_DEVICE.search(log):
        return "certain"
    return "likely" if gpu_failures.NOT_BUILT_FOR.search(log) else None


def _device(case: Case, text: str) -> Device:
    told = gpu_failures.NOT_BUILT_FOR.search(text) or gpu_failures.DEVICE_OF_TORCH.search(text)
    found = capability(told[1]) if told else None
    gpus = builds.gpus_of(case)
    same = [gpu for gpu in gpus if found is None or capability(gpu.capability) == found]
    if not same or len({gpu.capability for gpu in same}) > 1:
        return Device("the GPU", found)
    name = f"GPU {same[0].index} ({same[0].name}, {words.size(same[0].total_bytes)})"
    return Device(name, found or capability(same[0].capability))


def _of_torch(log: str) -> Coverage | None:
    told = gpu_failures.CODE_OF_TORCH.search(log)
    return coverage(told["codes"].split()) if told else None


def _sentence(device: Device, library: str, covered: Coverage | None) -> str:
    has = f"has compute capability {device.capability[0]}.{device.capability[1]}" if device.capability else ""
    if has and covered:
        return f"{device.name} {has}; {library} has code for {covered.words}"
    return f"{library} has no code for {device.name}" + (f", which {has}" if has else "")


def _facts(device: Device, library: str, covered: Coverage | None) -> list[Evidence]:
    facts = []
    if device.capability:
        major, minor = device.capability
        facts.append(Evidence(fact="compute capability of the device", value=f"{major}.{minor}", source="GpuFound"))
    if covered:
        facts.append(Evidence(fact=f"code in {library}", value=covered.words, source="DevicesSeen"))
    return facts


def _advice(device: Device, build: DevicesSeen | None, covered: Coverage | None) -> list[str]:
    name = {"torch": "PyTorch", "jax": "JAX"}.get(build.library if build else "", "TensorFlow")
    without = "To run without this GPU: CUDA_VISIBLE_DEVICES=-1."
    if device.capability and covered and covered.is_older(device.capability):
        return [f"Install an older {name} that was built for this GPU. {without}"]
    if device.capability and covered and device.capability > max(covered.all):
        container = " or NVIDIA's container (nvcr.io/nvidia/tensorflow)" if name == "TensorFlow" else ""
        return [f"Install a newer {name} that was built for this GPU{container}. {without}"]
    return [f"Install a {name} that was built for this GPU. {without}"]
