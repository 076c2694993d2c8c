"""Which code belongs to which cell of a notebook; runs in the user's process, at the start of a cell.

IPython compiles a cell under a made-up file name, a hash of its text, and magics compile parts of it under names of
their own. Invariant: nothing of the user's is called, and as many names are known as a long session has cells.
"""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside.guest import frame_variables, guard, live_source
from whydied.inside.guest.ownership import Ownership

LARGEST_CODES = 2000
_TIMED = re.compile(r"^\s*%{1,2}time(it)?\b")
_TIMED_NAMES = {"": ("<timed exec>", "<timed eval>"), "it": ("<magic-timeit>",)}
_RUNNERS = frozenset({"run_cell_async", "_run_cell", "run_cell"})


class Code(NamedTuple):
    """What a code name stands for; `skipped` lines of the cell come before its first one."""

    number: int
    text: str
    skipped: int = 0


_codes: dict[str, Code] = {}


def of(name: str) -> Code | None:
    """The cell that a code name belongs to."""
    return _codes.get(name)


def know(name: str, code: Code) -> None:
    if not name:
        return
    if len(_codes) >= LARGEST_CODES:
        del _codes[next(iter(_codes))]
    _codes[name] = code
    live_source.provide(name, code.text)


def compiled(info: Any, source: str, current: Any) -> tuple[str, int]:
    """The Python that IPython made of the cell, and its number. Both stand in the frame that told us."""
    code = getattr(info, "transformed_cell", None)
    number = None
    frame: FrameType | None = sys._getframe(2)
    for _ in range(8):
        if frame is None:
            break
        if frame.f_code.co_name in _RUNNERS:
            result = frame_variables.variable(frame, "result")
            number = number or getattr(result, "execution_count", None)
            for name in () if isinstance(code, str) else ("transformed_cell", "cell"):
                found = frame_variables.variable(frame, name)
                code = found if isinstance(found, str) else code
            break
        frame = frame.f_back
    if not isinstance(number, int):
        number = getattr(current, "execution_count", 0)
    return (code if isinstance(code, str) else source), number if isinstance(number, int) else 0


@guard.otherwise("")
def name_of(current: Any, source: str, code: str, number: int, ownership: Ownership) -> str:
    """The name that IPython is about to give to the code of a cell: a hash of its text."""
    compiler: Any = getattr(current, "compile", None)
    if hasattr(compiler, "get_code_name"):
        name = compiler.get_code_name(source, code, number)
    else:
        name = sys.modules["IPython.core.compilerop"].code_name(code, number)
    return ownership.resolve(name) if isinstance(name, str) else ""


def leading_blank(source: str) -> int:
    """IPython drops empty lines at the beginning, so its line 1 is a later one of the cell."""
    lines = source.splitlines()
    return next((at for at, line in enumerate(lines) if line.strip()), 0)


def timed(source: str) -> list[tuple[str, int, str]]:
    """The code that `%time` and `%timeit` run under names of their own: name, lines before it, text. A name that two
    lines of one cell share says nothing."""
    lines = source.splitlines()
    marked = [(at, found) for at, line in enumerate(lines) if (found := _TIMED.match(line))]
    if len(marked) != 1:
        return []
    at, found = marked[0]
    whole = lines[at].lstrip().startswith("%%")
    skipped = at + 1 if whole else at
    text = "\n".join(lines[skipped:]) if whole else lines[at][found.end() :].strip()
    return [(name, skipped, text) for name in _TIMED_NAMES[found[1] or ""]]
