"""What the library that computes was built for, against the GPU that is there. Pure.

A binary ("sm_80") runs on devices of the same major number and of its own minor number or a higher one; PTX
("compute_90") is compiled at run time for its own capability and all newer ones, where the driver can.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.records import DevicesSeen, GpuFound

Capability = tuple[int, int]
_CODE = re.compile(r"(sm|compute)_(\d+)(\d)[a-z]?")
_NAMES = {"tensorflow": "TensorFlow", "torch": "PyTorch", "jax": "JAX"}


class Coverage(NamedTuple):
    """What a build has for devices."""

    binaries: tuple[Capability, ...]
    ptx: tuple[Capability, ...]

    @property
    def all(self) -> tuple[Capability, ...]:
        return (*self.binaries, *self.ptx)

    @property
    def words(self) -> str:
        binary = ", ".join(f"{major}.{minor}" for major, minor in self.binaries)
        ptx = ", ".join(f"{major}.{minor}" for major, minor in self.ptx)
        return " and ".join([*([binary] if binary else []), *([f"PTX for {ptx}"] if ptx else [])])

    def runs_on(self, device: Capability) -> bool:
        """Whether there is a binary for the device."""
        return any(major == device[0] and minor <= device[1] for major, minor in self.binaries)

    def is_older(self, device: Capability) -> bool:
        """Whether the device is older than everything in the build."""
        return bool(self.all) and device < min(self.all)


def coverage_of(seen: DevicesSeen | None) -> Coverage | None:
    """None where the build does not say."""
    codes = [found for text in (seen.capabilities if seen else []) if (found := _CODE.fullmatch(text))]
    if not codes:
        return None
    of_kind = {
        kind: tuple(sorted({(int(code[2]), int(code[3])) for code in codes if code[1] == kind}))
        for kind in ("sm", "compute")
    }
    return Coverage(of_kind["sm"], of_kind["compute"])


def capability(text: str) -> Capability | None:
    """`8.9`, or `sm_89`."""
    found = re.fullmatch(r"(\d+)\.(\d+)", text) or re.fullmatch(r"sm_(\d+)(\d)[a-z]?", text)
    return (int(found[1]), int(found[2])) if found else None


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
