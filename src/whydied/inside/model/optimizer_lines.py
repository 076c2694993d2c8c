"""The user's line that constructed each optimizer; runs in the user's process.

Invariant: no optimizer is kept alive. The line is that of the code which made it, not that of the optimizer's
own `__init__`.
"""

from __future__ import annotations

import weakref
from types import FrameType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest.live_source import span
from whydied.inside.guest.user_frames import LARGEST_WALK, Line
from whydied.inside.model.layer_lines import initialises
from whydied.records import Frame

# Each library's innermost method that every update goes through once and that is only fetched to be called.
UPDATE_METHODS = (
    ("BaseOptimizer", "_backend_apply_gradients"),
    ("_BaseOptimizer", "_internal_apply_gradients"),
    ("Optimizer", "_internal_apply_gradients"),
    ("OptimizerV2", "_transform_unaggregated_gradients"),
)
LARGEST_OPTIMIZERS = 1000
_made: dict[int, tuple[Any, Line]] = {}


def constructed(optimizer: Any, frame: FrameType | None) -> None:
    """An optimizer is being constructed. Its class may be asked several times; the first is the outermost."""
    key, owner = id(optimizer), journal.current()
    known = _made.get(key)
    if owner is None or (known is not None and known[0]() is optimizer) or len(_made) >= LARGEST_OPTIMIZERS:
        return
    owner.find_main()
    for _ in range(LARGEST_WALK):
        if frame is None:
            return
        file = owner.ownership.user_file(frame)
        if file is not None and not initialises(frame, optimizer):
            line = (file, frame.f_lineno or 0, frame.f_code.co_name)
            _made[key] = (weakref.ref(optimizer, lambda _, key=key: _made.pop(key, None)), line)  # type: ignore[misc]
            return
        frame = frame.f_back


def living() -> list[Any]:
    """The optimizers that there still are."""
    return [optimizer for reference, _ in list(_made.values()) if (optimizer := reference()) is not None]


def line_of(optimizer: Any) -> Frame | None:
    """Where an optimizer was made, as a record has it."""
    known = _made.get(id(optimizer))
    if known is None or known[0]() is not optimizer:
        return None
    file, line, function = known[1]
    first, last = span(file, line)
    return Frame(file=file, line=first, function=function, user=True, end_line=last)
