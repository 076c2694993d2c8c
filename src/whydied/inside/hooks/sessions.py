"""`Session.run` of TensorFlow 1 programs; runs in the user's process.

Invariant: every run and every session is counted, at most one in `PAUSE_NS` is recorded, the first of each
line always. Sessions are known by weak references only.
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
from whydied.inside.guest.user_frames import user_lines
from whydied.inside.guest.value_facts import describe
from whydied.inside.hooks import graph_growth, graphs, inputs, session_numerics
from whydied.inside.model import checkpoint_names, session_runs
from whydied.records import SessionOpened, SessionRan, StepBegan

PAUSE_NS = 100_000_000
FREE_OPENINGS = 16
"""Sessions that are all recorded; after them one in `PAUSE_NS`."""
LARGEST_SESSIONS = 20_000
STEP_PAUSE_NS = 5_000_000
_LARGEST_NAMES = 20
_LARGEST_LINES = 1000
_count = 0
_last_ns = 0
_last_step_ns = 0
_lines: set[Any] = set()
_openings = 0
_last_opening_ns = 0
_sessions: list[weakref.ref[Any]] = []


def hook_session(module: ModuleType) -> None:
    graphs.hook_session(module)
    inputs.hook_session(module)
    session_numerics.hook_session(module)
    try:
        frameless.before_method(module.BaseSession, "_run", _ran)
        frameless.before_method(module.BaseSession, "__init__", _opened)
    except AttributeError as error:
        guard.limited("sessions", str(error))


@guarded("sessions.ran")
def _ran(session: Any, frame: FrameType) -> None:
    global _count, _last_ns, _last_step_ns
    _count += 1
    now = time.monotonic_ns()
    if now - _last_step_ns >= STEP_PAUSE_NS:
        _last_step_ns = now
        journal.write(StepBegan(unit="session", count=_count))
    owner = journal.current()
    if owner is None:
        return
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
            count=_count,
            frames=owner.frames(frame),
            fetches=_names(names.get("fetches")),
            feeds=_feeds(names.get("feed_dict")),
            operations=_operations(session),
            graph=id(getattr(session, "graph", None)),
            added=graph_growth.added(session, owner.ownership),
        )
    )


@guarded("sessions.opened")
def _opened(session: Any, frame: FrameType) -> None:
    global _openings, _last_opening_ns
    _openings += 1
    if len(_sessions) > LARGEST_SESSIONS:
        del _sessions[: LARGEST_SESSIONS // 2]
    _sessions.append(weakref.ref(session))
    owner = journal.current()
    if owner is not None:
        session_runs.opened(session, frame, owner.ownership)
    now = time.monotonic_ns()
    if _openings > FREE_OPENINGS and now - _last_opening_ns < PAUSE_NS:
        return
    _last_opening_ns = now
    _sessions[:] = [one for one in _sessions if _is_open(one())]
    journal.write(SessionOpened(count=_openings, open=len(_sessions), frames=journal.frames(frame)))


def _is_open(session: Any) -> bool:
    # One that is being made has no such attribute yet.
    return session is not None and not session.__dict__.get("_closed", False)


def _names(fetches: Any) -> list[str]:
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if not isinstance(fetches, (list, tuple)):
        fetches = [fetches]
    return [_name(fetch) for fetch in fetches[:_LARGEST_NAMES]]


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
