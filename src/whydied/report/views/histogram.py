"""How the values of a captured tensor are spread, read from its .npy file without NumPy, which is not a dependency.

Pure but for that file. What cannot be read (another layout, an unknown type, a file that is cut) gives None.
"""

from __future__ import annotations

import ast
import math
import re
import struct
from pathlib import Path

import msgspec

BINS = 40
MOST_VALUES = 200_000
_MAGIC = b"\x93NUMPY"
_FORMATS = {
    "f2": "e",
    "f4": "f",
    "f8": "d",
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "u2": "H",
    "u4": "I",
}
_FILE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """`counts[i]` values from `edges[i]` to `edges[i + 1]`; `part` says in words that only some were looked at."""

    name: str
    edges: list[float]
    counts: list[int]
    nonfinite: int = 0
    part: str = ""


def of_file(directory: Path, name: str, file: str) -> Histogram | None:
    # Names come from the recording, which another user may have made: only plain ones are followed.
    if not _FILE.fullmatch(file):
        return None
    try:
        with open(directory / file, "rb") as stream:
            return _read(name, stream.read(10), stream)
    except (OSError, ValueError, KeyError, SyntaxError, struct.error, TypeError):
        return None


def _read(name: str, head: bytes, stream: object) -> Histogram | None:
    read = stream.read  # type: ignore[attr-defined]
    if head[:6] != _MAGIC:
        return None
    if head[6] == 1:
        length = int.from_bytes(head[8:10], "little")
    else:
        length = int.from_bytes(head[8:10] + read(2), "little")
    header = ast.literal_eval(read(min(length, 10_000)).decode("latin-1"))
    order, kind = header["descr"][0], header["descr"][1:]
    if order not in "<|" or kind not in _FORMATS:
        return None
    shape = header["shape"]
    whole = math.prod(shape)
    size = struct.calcsize(f"<{_FORMATS[kind]}")
    data = read(min(whole, MOST_VALUES) * size)
    values = [value for (value,) in struct.iter_unpack(f"<{_FORMATS[kind]}", data[: len(data) // size * size])]
    return spread(name, values, whole)


def spread(name: str, values: list[float], whole: int) -> Histogram | None:
    """Equal bins from the least to the greatest finite value."""
    finite = [value for value in values if math.isfinite(value)]
    if not values:
        return None
    part = f"the first {len(values):,} of {whole:,} values" if whole > len(values) else ""
    nonfinite = len(values) - len(finite)
    if not finite:
        return Histogram(name=name, edges=[], counts=[], nonfinite=nonfinite, part=part)
    least, greatest = float(min(finite)), float(max(finite))
    width = (greatest - least) / BINS
    if not width or not math.isfinite(width):
        return Histogram(name=name, edges=[least, greatest], counts=[len(finite)], nonfinite=nonfinite, part=part)
    counts = [0] * BINS
    for value in finite:
        counts[min(BINS - 1, int((value - least) / width))] += 1
    edges = [least + width * at for at in range(BINS)] + [greatest]
    return Histogram(name=name, edges=edges, counts=counts, nonfinite=nonfinite, part=part)
