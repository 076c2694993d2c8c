"""A place in the user's source. Pure."""

from __future__ import annotations

import re

import msgspec

_CELL = re.compile(r"/cell \[(\d+)\]$")


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of the user's own code: absolute real path, the line in it that is meant, and its last line. In a
    notebook the file is the cell (`…/cell [3]`, see `whydied.read.cells`) and `cell` its number. `around` are the lines
    of the file as it ran, from `around_line` on."""

    file: str
    line: int
    end_line: int | None = None
    function: str | None = None
    source: str | None = None
    cell: int | None = None
    around: list[str] = []
    around_line: int = 0

    def __post_init__(self) -> None:
        found = _CELL.search(self.file) if self.cell is None else None
        if found:
            msgspec.structs.force_setattr(self, "cell", int(found[1]))

    @property
    def whole(self) -> str:
        """The same with the whole path of a file."""
        return self.spelled if self.cell is not None else f"{self.file}:{self.line}"

    @property
    def spelled(self) -> str:
        """`train.py:12`, or `cell [3], line 2`."""
        if self.cell is not None:
            return f"cell [{self.cell}], line {self.line}"
        return f"{self.file.rsplit('/', 1)[-1]}:{self.line}"
