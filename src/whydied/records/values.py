"""What records are made of: frames, exceptions, samples; and the two kinds of record. See `whydied.records`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a record."""


class Local(Value, frozen=True, kw_only=True):
    """A variable of a frame: what it is, never what it holds."""

    name: str
    type: str
    shape: list[int | None] | None = None
    dtype: str | None = None
    size_bytes: int | None = None
    length: int | None = None


class Frame(Value, frozen=True, kw_only=True):
    """A line that was running. `user` is true outside installed packages and the standard library."""

    file: str
    line: int
    function: str
    user: bool = False
    source: str = ""
    end_line: int | None = None
    locals: list[Local] = []


def frames_in(part: object) -> Iterator[Frame]:
    """Every line that a record, or a part of one, points at."""
    if isinstance(part, Frame):
        yield part
    elif isinstance(part, msgspec.Struct):
        for field in part.__struct_fields__:
            yield from frames_in(getattr(part, field))
    elif isinstance(part, list):
        for item in part:
            yield from frames_in(item)


class Operand(Value, frozen=True, kw_only=True):
    """A part of the failing expression, as the source writes it, with its value where that is a plain scalar. Of an
    array `nonfinite` counts what is NaN or infinite, where it was looked at."""

    text: str
    type: str
    value: str | None = None
    length: int | None = None
    shape: list[int | None] | None = None
    dtype: str | None = None
    nonfinite: int = 0


class RaisedException(Value, frozen=True, kw_only=True):
    """One link of an exception chain, the frames outermost first.

    `link` says how the next link of the chain (its cause) is tied to it: "cause" (raise … from), "context" (raised
    while handling) or "" at the end. `wanted` and `near` are the missed name, key, file or module and what exists
    like it; of a key `holder` is what was asked for it, as the source of the asking line writes it, and `keys` are the
    first that it has.
    """

    type: str
    module: str
    message: str
    frames: list[Frame] = []
    link: str = ""
    notes: list[str] = []
    errno: int | None = None
    filename: str | None = None
    wanted: str | None = None
    wanted_in: str | None = None
    near: list[str] = []
    holder: str = ""
    keys: list[str] = []
    operands: list[Operand] = []


class ProcessSample(Value, frozen=True, kw_only=True):
    """One process of the tree at one moment. Bytes by kind are None where the system does not tell them."""

    pid: int
    ppid: int
    name: str
    state: str
    rss_bytes: int
    anon_bytes: int | None = None
    file_bytes: int | None = None
    shmem_bytes: int | None = None
    swap_bytes: int | None = None
    threads: int = 1
    cpu_s: float = 0.0


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fact. `IMPORTANT` ones go to the lane that rotation spares longest."""

    IMPORTANT: ClassVar[bool] = False


class Important(Record, frozen=True, kw_only=True, omit_defaults=True):
    IMPORTANT: ClassVar[bool] = True
