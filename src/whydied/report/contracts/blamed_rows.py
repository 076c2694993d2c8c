"""Rows that a run kept because they broke it: those of broken contracts, and those that a replay blames. Runs in the
parent, without NumPy: an .npy file is read as bytes.

Invariant: only files below the run's directory are read, of at most `LARGEST_BYTES`; a file that is torn or not
in row order gives nothing.
"""

from __future__ import annotations

import ast
import struct
from pathlib import Path
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.places import RunDirectory
from whydied.records import Blame, FedValue

LARGEST_BYTES = 64 << 20
_MAGIC = b"\x93NUMPY"
_KINDS = ("data", "rows")


class Blamed(NamedTuple):
    """The rows of one fed value that a replay blames."""

    name: str
    words: str
    rows: list[int]
    row_count: int
    values: list[str]
    shape: list[int | None]
    dtype: str
    batch_rows: int
    not_finite: bool
    data: bytes | None


class Array(NamedTuple):
    """An .npy file: its header's facts, and where the elements begin."""

    descr: str
    shape: tuple[int, ...]
    begin: int
    data: bytes


def kept(directory: RunDirectory, file: str) -> bytes | None:
    """A file of the run, whole."""
    data = _read(directory.path, file)
    return data if data is not None and parse(data) is not None else None


def blamed(case: Case) -> list[Blamed]:
    found = []
    for name, taken in case.recording.taken.items():
        replay, capture = taken.replay, taken.capture
        blame = replay.blame if replay else None
        if blame is None or capture is None or blame.kind not in _KINDS or not blame.rows:
            continue
        for fed in capture.fed:
            if fed.role == "batch" and fed.name == blame.name:
                found.append(_blamed(case, name, fed, blame))
    return found


def _blamed(case: Case, directory: str, fed: FedValue, blame: Blame) -> Blamed:
    data = _read(case.recording.directory.path, f"{directory}/{fed.file}") if fed.file else None
    return Blamed(
        name=fed.name,
        words=blame.words or "rows that let the step stay finite",
        rows=blame.data_set_rows or blame.rows,
        row_count=blame.row_count or len(blame.rows),
        values=blame.values,
        shape=[None, *fed.shape[1:]],
        dtype=fed.dtype,
        batch_rows=blame.batch_rows,
        not_finite=blame.kind == "data",
        data=rows_of(data, blame.rows) if data is not None else None,
    )


def _read(directory: Path, file: str) -> bytes | None:
    path = directory / file
    try:
        inside = path.resolve().is_relative_to(directory.resolve())
        return path.read_bytes() if inside and path.stat().st_size <= LARGEST_BYTES else None
    except OSError:
        return None


def parse(data: bytes) -> Array | None:
    """An .npy file of version 1 or 2, in row order, of plain elements."""
    if data[:6] != _MAGIC or len(data) < 12:
        return None
    wide = data[6] >= 2
    begin = 12 if wide else 10
    length = struct.unpack("<I" if wide else "<H", data[8:begin])[0]
    try:
        header = ast.literal_eval(data[begin : begin + length].decode("latin-1"))
        descr, shape = header["descr"], tuple(int(extent) for extent in header["shape"])
    except (ValueError, SyntaxError, KeyError, TypeError):
        return None
    if header.get("fortran_order") or not isinstance(descr, str) or "O" in descr:
        return None
    return Array(descr, shape, begin + length, data)


def rows_of(data: bytes, rows: list[int]) -> bytes | None:
    """An .npy file with some rows of another."""
    array = parse(data)
    if array is None or not array.shape or not array.shape[0]:
        return None
    size = (len(data) - array.begin) // array.shape[0]
    parts = [data[array.begin + row * size : array.begin + (row + 1) * size] for row in rows if row < array.shape[0]]
    shape = (len(parts), *array.shape[1:])
    header = f"{{'descr': {array.descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return _MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"".join(parts)
