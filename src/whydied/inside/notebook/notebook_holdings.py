"""What a notebook keeps alive beside the user's own variables; runs in the user's process, inside a census.

IPython keeps each result that a cell showed (`Out[12]`, and under `_`, `__`, `___`), the last traceback with the
variables of all its frames, and pyplot keeps every figure that nobody closed. People delete their variable and wonder
that the memory stays.

Invariant: nothing of the user's is called, and nothing is kept after a census. Loaded only where there are
cells.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from whydied.inside.census import open_figures
from whydied.inside.census.holder_node import Node
from whydied.inside.guest import frame_variables
from whydied.inside.guest.ownership import Ownership
from whydied.inside.notebook import notebook_state

LARGEST_OUTPUTS = 2000
LARGEST_STEPS = 200
LARGEST_FIGURES = 200
_LAST = ("_", "__", "___")


def names() -> frozenset[str]:
    """The variables of the notebook that IPython sets."""
    shell = notebook_state.shell()
    space = getattr(shell, "user_ns", None)
    if type(space) is not dict:
        return frozenset()
    return frozenset(name for name in list(space) if type(name) is str and notebook_state.is_hidden(name))


def holdings(ownership: Ownership) -> Iterator[tuple[Any, Node]]:
    """Each thing that the notebook holds, with a name for it."""
    shell = notebook_state.shell()
    space = getattr(shell, "user_ns", None)
    if type(space) is not dict:
        return
    yield from _outputs(space)
    yield from _tracebacks(ownership)
    yield from _figures()
    for name in _LAST:
        yield dict.get(space, name), Node(None, name, "output")


def _outputs(space: dict[str, Any]) -> Iterator[tuple[Any, Node]]:
    kept = dict.get(space, "_oh")
    if not isinstance(kept, dict):
        return
    for number, value in list(dict.items(kept))[-LARGEST_OUTPUTS:]:
        if type(number) is int:
            yield value, Node(None, f"Out[{number}]", "output")


def _tracebacks(ownership: Ownership) -> Iterator[tuple[Any, Node]]:
    """The variables of the frames that the last exception came through. Those of the notebook itself are no news."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    step = getattr(sys, "last_traceback", None)
    seen: set[int] = set()
    while isinstance(error, BaseException) and id(error) not in seen and len(seen) < 10:
        seen.add(id(error))
        yield from _steps(step if type(step) is TracebackType else error.__traceback__, ownership)
        error, step = error.__cause__ or error.__context__, None


def _steps(step: TracebackType | None, ownership: Ownership) -> Iterator[tuple[Any, Node]]:
    for _ in range(LARGEST_STEPS):
        if step is None:
            return
        frame = step.tb_frame
        code = frame.f_code
        file = ownership.user_file(frame)
        if code.co_name != "<module>":
            for name, value in frame_variables.variables(frame):
                if name.startswith("."):
                    continue
                node = Node(None, f"the last traceback: frame {code.co_name}, variable {name}", "traceback")
                node.file, node.line, node.function = file or "", step.tb_lineno or 0, code.co_name
                yield value, node
        step = step.tb_next


def _figures() -> Iterator[tuple[Any, Node]]:
    for number, figure in open_figures.figures()[:LARGEST_FIGURES]:
        yield figure, Node(None, f"pyplot figure {number}", "figure")
