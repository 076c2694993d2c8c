"""A GPU library is missing, or its version does not fit the driver or TensorFlow.

## What it detects
A program that failed in cuDNN, CUDA or their start-up while the log names two versions that do not fit, a library
that could not be loaded, or a driver that is too old; or while the device had plenty of free memory, so that the
same error can not come from a lack of it.

## Why it happens
TensorFlow is built against one version of CUDA and cuDNN and loads what it finds at run time: another one in
`LD_LIBRARY_PATH`, one that another package brought, or none. The kernel's driver bounds which CUDA can run.

## Evidence
The versions and libraries in the log; the exception; the driver's versions; the free memory of the device in the last
look before the failure.

## How it is proved
Text that names both versions, the missing library or the old driver, together with a failure of that library: certain.
"Failed to get convolution algorithm" and its kin mean either a mismatch or no memory: without such text it is
called a mismatch only where at least a tenth of the device and 1 GiB were free before: likely.

## Fix
Install the versions that fit together: `pip install tensorflow[and-cuda]` brings them; remove others from
`LD_LIBRARY_PATH`. Update the driver where it is too old.

## Known problems
A warning at start that a library could not be loaded is normal on a machine without a GPU, and is not a finding unless
the program fails by it.

## References
tensorflow/tensorflow issues 24828, 36025, 41886, 60913; NVIDIA/tensorflow issue 83.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.gpu.devices import DeviceState, Failure, failure_of, log_lines, place_of, used_device
from whydied.texts import gpu_failures

AMPLE_SHARE = 0.1
AMPLE_BYTES = 1 << 30
# Loaded only on request, and missing on most machines that work well.
_OPTIONAL = ("libnvinfer", "libnvrtc", "libnvonnxparser")


class Mismatch(NamedTuple):
    words: str
    certainty: Certainty
    library: str


ROLE = "cause"
YIELDS_TO = ("known-bug", "no-code-for-device")


def check(case: Case) -> Finding | None:
    failure = failure_of(case)
    if failure is None or not gpu_failures.LIBRARY_SYMPTOM.search(failure.text):
        return None
    device = used_device(case)
    mismatch = _named(failure.text, case.recording.output) or _excluded(failure, case.recording.output, device)
    if mismatch is None:
        return None
    place, seen = place_of(case, failure)
    versions = case.recording.versions
    return Finding(
        message=f"{prefix(place)}{mismatch.words}",
        certainty=mismatch.certainty,
        location=place,
        culprit=Culprit(kind="library", name=mismatch.library),
        evidence=[
            *seen,
            *log_lines(case, gpu_failures.LIBRARY_IN_LOG.pattern),
            *(device.evidence() if device else []),
            *(
                Evidence(fact=f"version of {name}", value=versions[name], source="VersionsSeen")
                for name in ("tensorflow", "keras")
                if name in versions
            ),
        ],
        advice=["Install compatible versions: pip install 'tensorflow[and-cuda]' brings CUDA and cuDNN."]
        if mismatch.library != "driver"
        else ["Update the NVIDIA driver, or install a TensorFlow that was built for an older CUDA."],
    )


def _named(failure: str, log: str) -> Mismatch | None:
    text = f"{log}\n{failure}"
    if found := gpu_failures.CUDNN_VERSIONS.search(text):
        return Mismatch(
            f"cuDNN {found['loaded'].rstrip('.')} was loaded, TensorFlow was built for {found['built']}",
            "certain",
            "cuDNN",
        )
    if found := gpu_failures.DRIVER_TOO_OLD.search(failure) or gpu_failures.DRIVER_TOO_OLD.search(log):
        return Mismatch(f"the NVIDIA driver does not support this CUDA ({found[0]})", "certain", "driver")
    for found in gpu_failures.LIBRARY_MISSING.pattern.finditer(text):
        library = (found["first"] or found["second"] or found["third"]).rstrip(".")
        if not library.startswith(_OPTIONAL):
            return Mismatch(f"the library {library} could not be loaded", "certain", library)
    return None


def _excluded(failure: Failure, log: str, device: DeviceState | None) -> Mismatch | None:
    """The same words mean no memory or a mismatch: with much memory free before, only the second is left."""
    about_memory = any(gpu_failures.ABOUT_MEMORY.search(text) for text in (failure.text, log))
    if device is None or about_memory or not gpu_failures.LIBRARY_DID_NOT_START.search(failure.text):
        return None
    free = device.last.free_bytes
    if free < AMPLE_BYTES or device.free_share < AMPLE_SHARE:
        return None
    return Mismatch(
        f"cuDNN could not be initialised although {words.size(free)} of {device.name} was free: its version does not "
        "match",
        "likely",
        "cuDNN",
    )
