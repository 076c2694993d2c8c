"""Compute capabilities: which code of a build runs on which GPU. Pure.

A binary ("sm_80") runs on devices of the same major number and of its own minor number or a higher one; PTX
("compute_90") is compiled at run time for its own capability and all newer ones, where the driver can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

Capability = tuple[int, int]
_CODE = re.compile(r"(sm|compute)_(\d+)(\d)[a-z]?")


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


def coverage(codes: Iterable[str]) -> Coverage | None:
    """From a build's own list; None where that is empty."""
    found = [code for text in codes if (code := _CODE.fullmatch(text))]
    if not found:
        return None
    of_kind = {
        kind: tuple(sorted({(int(code[2]), int(code[3])) for code in found if code[1] == kind}))
        for kind in ("sm", "compute")
    }
    return Coverage(of_kind["sm"], of_kind["compute"])


def capability(text: str) -> Capability | None:
    """`8.9`, or `sm_89`."""
    found = re.fullmatch(r"(\d+)\.(\d+)", text) or re.fullmatch(r"sm_(\d+)(\d)[a-z]?", text)
    return (int(found[1]), int(found[2])) if found else None
