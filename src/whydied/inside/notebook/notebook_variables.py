"""The variables of a notebook by size, and what it keeps alive beside them; runs in the user's process, after a cell
that made some, inside a census and when asked.

IPython keeps each result that a cell showed (`Out[12]`, and under `_`, `__`, `___`), the last traceback with the
variables of all its frames, and pyplot keeps every figure that nobody closed. People delete their variable and wonder
that the memory stays.

Invariant: nothing of the user's is called, changed or kept; what two names share counts once, for the first.
A variable is measured with all that it leads to, as far as the time allows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

import msgspec

from whydied.inside import journal
from whydied.inside.census import array_sizes, model_weights, object_kinds, open_figures
from whydied.inside.census.census import standing_still
from whydied.inside.census.holder_paths import KEPT_BY_NOTEBOOK
from whydied.inside.census.holders import Walk
from whydied.inside.census.object_counts import Node, ObjectCounts, root_node
from whydied.inside.guest import frame_variables
from whydied.inside.guest.ownership import Ownership
from whydied.inside.notebook import notebook_state
from whydied.records import MadeObject

SMALLEST_BYTES = 1 << 20
LARGEST_MADE = 12
QUICK_S = 0.02
WHOLE_S = 1.0
_SMALL = frozenset(
    {object_kinds.ATOM, object_kinds.OPAQUE, object_kinds.FUNCTION, object_kinds.CLASS, object_kinds.METHOD}
)
LARGEST_OUTPUTS = 2000
LARGEST_STEPS = 200
LARGEST_FIGURES = 200
_LAST = ("_", "__", "___")


def measured(values: Mapping[str, Any]) -> list[MadeObject]:
    """Those of some variables that are large, the largest first."""
    return _weighed([(value, Node(None, name, "global")) for name, value in values.items()], QUICK_S, LARGEST_MADE)


def top(most: int) -> list[MadeObject]:
    """The largest things that the notebook holds, under the names that lead to them: variables, results, the variables
    of the last traceback, figures."""
    shell = notebook_state.shell()
    space = getattr(shell, "user_ns", None)
    if type(space) is not dict:
        return []
    hidden = names()
    roots = [
        (value, Node(None, name, "global"))
        for name, value in list(space.items())
        if type(name) is str and name not in hidden and not name.startswith("__")
    ]
    roots += holdings(_ownership())
    try:
        return _weighed(roots, WHOLE_S, most)
    finally:
        roots.clear()


def _ownership() -> Ownership:
    owner = journal.current()
    return owner.ownership if owner is not None else Ownership("/")


def _weighed(roots: list[tuple[Any, Node]], seconds: float, most: int) -> list[MadeObject]:
    found: list[MadeObject] = []
    ownership = _ownership()
    # Its own processor time, as for a census: a busy machine must not cut it short.
    deadline = time.thread_time() + seconds
    with standing_still():
        seen: set[int] = {id(roots)}
        memory: set[int] = set()
        named: dict[int, str] = {}
        also: dict[str, list[str]] = {}
        for value, node in roots:
            if id(value) in named and node.root in KEPT_BY_NOTEBOOK:
                also.setdefault(named[id(value)], []).append(node.label)
            if object_kinds.type_facts(type(value)).name in _SMALL or id(value) in seen:
                continue
            named[id(value)] = node.label
            if time.thread_time() > deadline:
                break
            walk = Walk(ownership, ObjectCounts(memory), deadline, seen)
            one = _one(value, node, walk)
            if one is not None:
                found.append(one)
    found.sort(key=lambda one: -one.bytes)
    return [_with_others(one, also.get(one.name, [])) for one in found[:most]]


def _with_others(one: MadeObject, others: list[str]) -> MadeObject:
    """To delete the variable is not enough where the notebook keeps its value too."""
    return msgspec.structs.replace(one, name=f"{one.name} (and {', '.join(others[:3])})") if others else one


def _one(value: Any, node: Node, walk: Walk) -> MadeObject | None:
    walk.of(value, node)
    counts = walk.counts
    model_weights.weigh(counts)
    models = sum(group.size_bytes for key, group in counts.groups.items() if key[0] == object_kinds.MODEL)
    size = max(counts.counted_bytes, round(models))
    if size < SMALLEST_BYTES:
        return None
    facts = object_kinds.type_facts(type(value))
    leaf = facts.name in (object_kinds.ARRAY, object_kinds.TENSOR, object_kinds.VARIABLE, object_kinds.KERAS_VARIABLE)
    shown = array_sizes.measure(value, facts) if leaf else array_sizes.NOTHING
    shape = list(shown.shape) if shown.shape is not None else None
    return MadeObject(name=node.label, type=facts.type, bytes=size, shape=shape, dtype=shown.dtype)


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
    for number, figure in open_figures.figures()[:LARGEST_FIGURES]:
        yield figure, Node(None, f"pyplot figure {number}", "figure")
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
                label = f"the last traceback: frame {code.co_name}, variable {name}"
                yield value, root_node(label, "traceback", file or "", step.tb_lineno or 0, code.co_name)
        step = step.tb_next
