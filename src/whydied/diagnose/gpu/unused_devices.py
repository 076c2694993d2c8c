"""A GPU that is there and was not used, and why, as a note. Pure.

Silent where the program hid it on purpose: by `tf.config.set_visible_devices`, by CUDA_VISIBLE_DEVICES in its own code,
or by -1 there, which nobody writes by mistake.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.gpu import builds
from whydied.records import DevicesSeen, GpuFound, GpuSampled
from whydied.texts import gpu_failures

_ON_PURPOSE = "-1"
_INSTALL = {
    "tensorflow": "pip install 'tensorflow[and-cuda]=={version}'",
    "jax": "pip install 'jax[cuda12]=={version}'",
    "torch": "install a build of PyTorch with CUDA (pytorch.org/get-started shows the command)",
}


def unused(case: Case) -> list[str]:
    """One sentence, or none."""
    gpus = builds.gpus_of(case)
    seen = [one for process in case.recording.processes for one in process.all(DevicesSeen)]
    if not gpus or not seen or any("GPU" in (one.found or ()) for one in seen) or _holds_memory(case):
        return []
    for one in builds.seen_devices(case):
        if one.found is not None and (why := _reason(case, one, gpus)):
            return [f"{_named(gpus)} not used: {why}"]
    return []


def _holds_memory(case: Case) -> bool:
    looks = case.recording.supervisor.all(GpuSampled)
    return any(process.ours for look in looks for process in look.processes)


def _named(gpus: list[GpuFound]) -> str:
    first = f"GPU {gpus[0].index} ({gpus[0].name}, {words.size(gpus[0].total_bytes)})"
    return f"{first} was" if len(gpus) == 1 else f"{first} and {len(gpus) - 1} more were"


def reason(case: Case) -> str:
    """Why a library has no GPU, in a few words; empty where there is none, or the program hid it."""
    gpus = builds.gpus_of(case)
    found = (_reason(case, one, gpus) for one in builds.seen_devices(case)) if gpus else ()
    return next(filter(None, found), "")


def _reason(case: Case, seen: DevicesSeen, gpus: list[GpuFound]) -> str:
    log = case.recording.output
    if seen.hidden == _ON_PURPOSE or seen.hidden != seen.hidden_from_start:
        return ""
    if not seen.cuda:
        return f"{builds.spelled(seen)} is built without CUDA; {_install(seen)}"
    if seen.hidden is not None and _hides_all(seen.hidden, len(gpus)):
        return f"CUDA_VISIBLE_DEVICES={seen.hidden!r} in the environment hides it; unset it"
    if found := gpu_failures.DEVICE_IGNORED.search(log):
        return (
            f"its compute capability is {found['capability']}, and {builds.spelled(seen)} needs {found['least']} or "
            "higher; an older release may have code for it"
        )
    versions = f"CUDA {seen.cuda}" + (f", cuDNN {seen.cudnn}" if seen.cudnn else "")
    if gpu_failures.LIBRARIES_NOT_LOADED.search(log) or gpu_failures.LIBRARY_MISSING.search(log):
        return (
            f"{builds.spelled(seen)} could not load the libraries that it was built for ({versions}); {_install(seen)}"
        )
    if found := gpu_failures.CUDA_DID_NOT_START.search(log):
        driver = f" (driver {gpus[0].driver}, up to CUDA {gpus[0].cuda_driver})" if gpus[0].driver else ""
        return f"CUDA did not start: {found['error']}{driver}; {builds.spelled(seen)} was built for {versions}"
    return f"{builds.spelled(seen)} (built for {versions}) found none; `whydied doctor` checks driver and libraries"


def _hides_all(text: str, count: int) -> bool:
    """CUDA reads up to the first number that is not a device."""
    first = text.split(",")[0].strip()
    return not first or (first.lstrip("-").isdigit() and not 0 <= int(first) < count)


def _install(seen: DevicesSeen) -> str:
    remove = f"pip uninstall -y {seen.package} && " if seen.package not in ("", seen.library) else ""
    return f"{remove}{_INSTALL[seen.library].format(version=seen.version)}"
