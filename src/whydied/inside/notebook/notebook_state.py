"""What is known of the notebook now: its shell, the cell that runs, how many there were; runs in the user's process."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from whydied.records import CellEnded

_INPUT = re.compile(r"_i+\d*")


class Running(NamedTuple):
    """A cell that runs. `names` are the variables of the notebook at its start, with the addresses of their values."""

    info: Any
    number: int
    source: str
    before_bytes: int
    began_s: float
    names: dict[str, int]


class Ran(NamedTuple):
    """A cell of a run that ends at the first cell that fails."""

    number: int
    source: str
    pid: int


running_cells: list[Running] = []
"""The cell that runs, and the cells inside of it."""
shells: list[Any] = []
last_ended: CellEnded | None = None
"""What was recorded of the cell that ended last."""
ran: list[Ran] = []
"""In such a run: the cells that began, in their order. Elsewhere nothing is kept, however long the session."""
survived: set[int] = set()
"""The numbers of those that raised and may."""
NOTEBOOK_RUN = "notebook-run"
"""Among the words of `WHYDIED_OPTIONS`: the cells are run one by one, and the first that fails ends the run."""
started_count = 0
"""How many cells have begun: whoever does something once a cell remembers it."""


def shell() -> Any:
    """The shell of this process, or None."""
    return shells[-1] if shells else None


def running() -> Running | None:
    """The cell that runs, the outermost of nested ones."""
    return running_cells[0] if running_cells else None


def is_active() -> bool:
    return bool(shells)


def is_run() -> bool:
    return NOTEBOOK_RUN in os.environ.get("WHYDIED_OPTIONS", "").split(",")


def is_hidden(name: str) -> bool:
    """Whether a name of the notebook is one that IPython sets. `_12` is `Out[12]`, `_i12` the text of a cell."""
    if name in _SET_BY_IPYTHON:
        return True
    return name[:1] == "_" and (name[1:].isdigit() or (name[:2] == "_i" and _INPUT.fullmatch(name) is not None))


_SET_BY_IPYTHON = frozenset(
    {"In", "Out", "_", "__", "___", "_ih", "_oh", "_dh", "_exit_code", "exit", "quit", "get_ipython", "open"}
) | {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtin__", "__builtins__", "__session__"}
