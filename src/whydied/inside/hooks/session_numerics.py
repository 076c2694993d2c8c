"""Notices in which run of a session a value turned NaN or infinite; runs in the user's process.

Invariant: the graph and what the program gets from a run are as without us. A run that trains is looked at
after it (what the program fetched) and, as often as the time allowed for it lets us, before it (the weights). A fetched
value that is not finite is told of only where the weights turned bad with it, or where it is the loss itself and the
program does not look for such values. Runs that do not train are not looked at.
"""

from __future__ import annotations

from time import perf_counter
from types import FrameType, ModuleType
from typing import Any

from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.numerics import step_file
from whydied.inside.numerics.session.session_watch import Watch, end_all, rest, watch_of

_extra: dict[int, list[Any]] = {}
"""By fetch handler: what was fetched beside what the program asked for."""


def hook_session(module: ModuleType) -> None:
    if "no-numerics" in step_file.options():
        return
    try:
        handler = module._FetchHandler
        frameless.before_method(handler, "build_results", _given_back)
        frameless.before_method(handler, "build_results", _after)
        frameless.before_method(handler, "targets", _before)
        frameless.before_method(module.BaseSession, "close", _closing)
    except AttributeError as error:
        guard.limited("values of sessions", str(error))
        return
    import atexit

    atexit.register(_exiting)


def _given_back(handler: Any, frame: FrameType) -> None:
    """Take away what we fetched. Not guarded, so that no fault that is put in for a test can leave it there: it counts
    what the program asked for, and keeps no account that could be wrong."""
    if not rest.sourced:
        return
    final, fed = handler._final_fetches, handler._feeds
    asked = sum(tensor.ref() not in fed for tensor in handler._fetches)
    if len(final) > asked:
        results = of_library(frame)["results"]
        if len(_extra) > 100:
            _extra.clear()
        _extra[id(handler)] = list(zip(final[asked:], results[asked:], strict=True))
        del results[asked:]
        del final[asked:]


@guarded("session_numerics.before")
def _before(handler: Any, frame: FrameType) -> None:
    """A run is about to begin; `frame` is that of TensorFlow's `_run`. Mostly there is nothing to do yet."""
    if (perf_counter() < rest.until and not rest.sourced) or frame.f_code.co_name != "_run":
        return
    names = of_library(frame)
    session = names["self"]
    if names.get("handle") is not None or session._closed:
        return
    watch = watch_of(session)
    if watch is None:
        return
    if names.get("run_metadata") is None or not _traced(frame):
        _fetch_sources(watch, session, handler)
    watch.before(session, handler, frame)


def _traced(frame: FrameType) -> bool:
    """Whether the program wants to see each op of a run: it would see what we fetch. A monitored session asks for
    the data of each run, and mostly for an empty one."""
    options = of_library(frame.f_back).get("options") if frame.f_back is not None else None
    return options is not None and bool(options.trace_level or options.output_partition_graphs)


def _fetch_sources(watch: Watch, session: Any, handler: Any) -> None:
    """What an iterator or a queue brings is there only while the run lasts: have it beside the rest."""
    plan = watch.plan(session, handler)
    for tensor in plan.sources if plan is not None else ():
        final = handler._final_fetches
        if tensor.ref() not in handler._feeds and not any(tensor is one for one in final):
            final.append(tensor)


@guarded("session_numerics.after")
def _after(handler: Any, frame: FrameType) -> None:
    """A run is over, and the program has not got its results yet."""
    if frame.f_code.co_name != "_run":
        return
    names = of_library(frame)
    session = names["self"]
    watch = watch_of(session)
    if watch is not None and names["handle"] is None:
        extra = _extra.pop(id(handler), []) if _extra else []
        watch.after(session, handler, names.get("results", []), extra, frame)


@guarded("session_numerics.closing")
def _closing(session: Any, frame: FrameType) -> None:
    if session.__dict__.get("_closed") is False:
        watch = watch_of(session, make=False)
        if watch is not None:
            watch.end(session, frame)


@guarded("session_numerics.exiting")
def _exiting() -> None:
    end_all()
