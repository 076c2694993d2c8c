"""What the library that computes was built for, and the GPUs of a run. Pure."""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.native.compute_capability import Coverage, coverage
from whydied.records import DevicesSeen, GpuFound

_NAMES = {"tensorflow": "TensorFlow", "torch": "PyTorch", "jax": "JAX"}


def coverage_of(seen: DevicesSeen | None) -> Coverage | None:
    """None where the build does not say."""
    return coverage(seen.capabilities) if seen is not None else None


def seen_devices(case: Case) -> list[DevicesSeen]:
    """What the libraries of the program's own process saw last, each once."""
    last = {seen.library: seen for seen in case.records.all(DevicesSeen)}
    return list(last.values())


def build_of(case: Case) -> DevicesSeen | None:
    """The library that computes: TensorFlow where there are several."""
    seen = {one.library: one for one in seen_devices(case)}
    return next((seen[name] for name in _NAMES if name in seen), None)


def gpus_of(case: Case) -> list[GpuFound]:
    return case.recording.supervisor.all(GpuFound)


def spelled(seen: DevicesSeen) -> str:
    """`TensorFlow 2.21.0`, with the name of its package where that is another."""
    name = _NAMES.get(seen.library, seen.library)
    other = f" ({seen.package})" if seen.package not in ("", seen.library) else ""
    return f"{name} {seen.version}{other}".strip()
