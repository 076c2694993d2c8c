"""The condition that a thread sleeps for in a loop, with the values of both sides; runs in the sampler's thread in the
user's process, together with `thread_stacks`.

Invariant: nothing is called. The size of a queue of the standard library is that of what it keeps.
"""

from __future__ import annotations

import ast
from collections import deque
from types import FrameType
from typing import Any

from whydied import redact
from whydied.inside.guest import frame_variables, live_source, lookup
from whydied.inside.guest.lookup import Missing
from whydied.records.hangs import LONGEST_LINE, Polled
from whydied.source.calls import callee
from whydied.source.trees import written
from whydied.source.waits.polling import polled_loop, sides

_SIZED = (list, tuple, dict, set, deque)


def polled(frame: FrameType, file: str | None, line: int) -> Polled | None:
    """Of the innermost frame of a thread, where that is the user's."""
    source = live_source.source(file) if file is not None else None
    loop = polled_loop(source.tree, line) if source is not None else None
    if loop is None:
        return None
    names: dict[str, Any] = dict(frame_variables.variables(frame))
    values: dict[str, str] = {}
    for side in sides(loop.test):
        value = _value(side, frame, names)
        if type(value) in (int, float, bool):
            values[redact.text(written(side)[:80])] = repr(value)
    return Polled(condition=redact.text(written(loop.test)[:LONGEST_LINE]), line=loop.lineno, values=values)


def _value(side: ast.expr, frame: FrameType, names: dict[str, Any]) -> Any:
    if not isinstance(side, ast.Call):
        return lookup.evaluate(side, frame, names)
    held: Any = None
    if callee(side) == "len":
        held = lookup.evaluate(side.args[0], frame, names)
    elif callee(side) == "qsize" and isinstance(side.func, ast.Attribute):
        queue = lookup.evaluate(side.func.value, frame, names)
        held = None if isinstance(queue, Missing) else lookup.instance_dict(queue).get("queue")
    return len(held) if type(held) in _SIZED else None
