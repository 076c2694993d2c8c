"""`Session.run` of TensorFlow 1 programs, and the lines that added ops to its graph since the last look; runs in the
user's process.

Invariant: every run and every session is counted, at most one in `PAUSE_NS` is recorded, the first of each
line always. Of the newest `LARGEST_SCAN` ops about `LOOKED_AT` have their stack read. Sessions and graphs are known by
weak references only.
"""

from __future__ import annotations

import time
import weakref
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.live_source import span
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.pacing import Paced
from whydied.inside.guest.user_frames import user_lines
from whydied.inside.guest.value_facts import describe
from whydied.inside.hooks import graphs, inputs, session_numerics
from whydied.inside.model import checkpoint_names, session_runs
from whydied.records import GraphAddition, SessionOpened, SessionRan, StepBegan

PAUSE_NS = 100_000_000
FREE_OPENINGS = 16
"""Sessions that are all recorded; after them one in `PAUSE_NS`."""
LARGEST_SESSIONS = 20_000
STEP_PAUSE_NS = 5_000_000
LOOKED_AT = 40
LARGEST_SCAN = 2000
LARGE_CONSTANT_BYTES = 64 << 10
"""The newest `LARGEST_SCAN` ops are searched for constants of this size: a single one may be the whole matter."""
_LARGEST_ADDITIONS = 4
_LARGEST_NAMES = 20
_LARGEST_LINES = 1000
_runs = Paced(STEP_PAUSE_NS)
_last_ns = 0
_lines: set[Any] = set()
_openings = Paced(PAUSE_NS, FREE_OPENINGS)
_sessions: list[weakref.ref[Any]] = []
_versions: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
"""Of each graph, when it was last looked at."""


def hook_session(module: ModuleType) -> None:
    graphs.hook_session(module)
    inputs.hook_session(module)
    session_numerics.hook_session(module)
    with guard.limits("sessions"):
        frameless.before_method(module.BaseSession, "_run", _ran)
        frameless.before_method(module.BaseSession, "__init__", _opened)


@guarded("sessions.ran")
def _ran(session: Any, frame: FrameType) -> None:
    global _last_ns
    number = _runs.one_more()
    if number is not None:
        journal.write(StepBegan(unit="session", count=number))
    owner = journal.current()
    if owner is None:
        return
    now = time.monotonic_ns()
    line = user_lines(frame, owner.ownership)[-1:]
    names = of_library(frame)
    session_runs.ran(session, names.get("fetches"), lambda: line[0] if line else None)
    checkpoint_names.look(names.get("fetches"), names.get("feed_dict"))
    if line in _lines and now - _last_ns < PAUSE_NS:
        return
    _last_ns = now
    if len(_lines) < _LARGEST_LINES:
        _lines.add(line)
    journal.write(
        SessionRan(
            count=_runs.count,
            frames=owner.frames(frame),
            feeds=_feeds(names.get("feed_dict")),
            operations=_operations(session),
            graph=id(getattr(session, "graph", None)),
            added=_added(session, owner.ownership),
        )
    )


@guarded("sessions.opened")
def _opened(session: Any, frame: FrameType) -> None:
    if len(_sessions) > LARGEST_SESSIONS:
        del _sessions[: LARGEST_SESSIONS // 2]
    _sessions.append(weakref.ref(session))
    owner = journal.current()
    if owner is not None:
        session_runs.opened(session, frame, owner.ownership)
    number = _openings.one_more()
    if number is None:
        return
    _sessions[:] = [one for one in _sessions if _is_open(one())]
    journal.write(SessionOpened(count=number, open=len(_sessions), frames=journal.frames(frame)))


def _is_open(session: Any) -> bool:
    # One that is being made has no such attribute yet.
    return session is not None and not session.__dict__.get("_closed", False)


def _name(thing: Any) -> str:
    if isinstance(thing, str):
        return thing[:200]
    if type(thing).__module__.startswith("tensorflow."):
        name = getattr(thing, "name", None)
        if isinstance(name, str):
            return name[:200]
    return type(thing).__name__


def _feeds(feeds: Any) -> dict[str, list[int | None] | None]:
    if not isinstance(feeds, dict):
        return {}
    return {_name(key): _shape(value) for key, value in list(feeds.items())[:_LARGEST_NAMES]}


def _shape(value: Any) -> list[int | None] | None:
    facts = describe(value)
    if facts.shape is not None:
        return facts.shape
    return [facts.length] if facts.length is not None else ([] if type(value) in (int, float, bool) else None)


def _operations(session: Any) -> int | None:
    graph = getattr(session, "graph", None)
    counter = getattr(graph, "_last_id", None) or getattr(graph, "version", None)
    return counter if isinstance(counter, int) else None


def _added(session: Any, ownership: Ownership) -> list[GraphAddition]:
    """The lines that made the newest ops, those with the largest constants first; at the first look at a graph, those
    that built it."""
    graph = getattr(session, "graph", None)
    last = getattr(graph, "version", None)
    if graph is None or not isinstance(last, int):
        return []
    first = _versions.get(graph)
    _versions[graph] = last
    return [] if first is not None and last <= first else _by_line(graph, first or 0, last, ownership)


def _by_line(graph: Any, first: int, last: int, ownership: Ownership) -> list[GraphAddition]:
    by_id = getattr(graph, "_nodes_by_id", None)
    if by_id is None:
        return []
    found: dict[tuple[str, int, str], list[int]] = {}
    step = max(1, (last - first) // LOOKED_AT)
    for number in range(last, max(first, last - LARGEST_SCAN), -1):
        try:
            op = by_id[number]
        except (KeyError, IndexError):
            continue
        constant = _constant_bytes(op)
        chosen = (last - number) % step == 0
        place = _place_of(op, ownership) if chosen or constant >= LARGE_CONSTANT_BYTES else None
        if place is not None:
            totals = found.setdefault(place, [0, 0])
            totals[0] += step if chosen else 0
            totals[1] += constant
    ranked = sorted(found.items(), key=lambda item: (item[1][1], item[1][0]), reverse=True)
    return [
        GraphAddition(file=place[0], line=place[1], function=place[2], operations=ops, constant_bytes=size)
        for place, (ops, size) in ranked[:_LARGEST_ADDITIONS]
    ]


def _place_of(op: Any, ownership: Ownership) -> tuple[str, int, str] | None:
    """The innermost line of the user's in the stack that made an op."""
    # An op that was imported with its graph has no stack.
    for frame in reversed(list(op.traceback or ())):
        file = ownership.owned(frame.filename, False)
        if file is not None:
            return file, span(file, frame.lineno)[0], frame.name
    return None


def _constant_bytes(op: Any) -> int:
    if op.type != "Const":
        return 0
    value = op.outputs[0]
    return int(value.shape.num_elements() or 0) * int(value.dtype.size or 0)
