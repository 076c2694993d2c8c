"""What is mounted where, as `/proc/self/mountinfo` tells; runs everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """`device` is "major:minor" in decimal, `root` the directory of the file system that is seen at `point`."""

    device: str
    root: str
    point: str
    kind: str
    options: tuple[str, ...]


def mounts(root: str = "/") -> Iterator[Mount]:
    try:
        # Not by `proc.read`: the kernel gives no more than a page of this file at a time.
        with open(f"{root}proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return
    for line in lines:
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) >= 5 and len(right) >= 3:
            point = _OCTAL.sub(lambda found: chr(int(found[1], 8)), left[4])
            yield Mount(left[2], left[3], point, right[0], tuple(right[2].split(",")))
