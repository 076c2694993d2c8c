"""The memory guard of a whole program: `whydied run --memory-guard`; runs in the user's process.

Where a Keras `fit` is running, the weights of its model are written into the run's directory first: before the stop, or
where a library was refused memory and the exception ended the program, while its frames are there.

Invariant: a program that catches the error and frees memory is guarded again. Nothing is written while a graph is being
traced, or where there is no room for it.
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.memory_guard import memory_stops
from whydied.inside.memory_guard.memory_stops import LEAST_GROWTH_BYTES, WARN_SHARE, Scope, State, Ward
from whydied.inside.resuming import model_state
from whydied.inside.sampling import memory_watch
from whydied.records import MemoryGuarded, MemoryWarned

OPTION = "program-guard"
"""Among the words of `WHYDIED_OPTIONS`."""
FOLDER = "guard"
"""In the run's directory."""
_FITS = frozenset({"fit"})
_mark = 1


@guarded("program_guard.begin")
def begin() -> None:
    memory_stops.turn(True, Ward(_running, _owns, _message, MemoryError, saved_weights))
    memory_watch.notice = noticed
    memory_watch.refused = refused
    journal.write(MemoryGuarded())


@guarded("program_guard.noticed")
def noticed(rss: int, limit: int, looked_around: bool) -> None:
    global _mark
    if rss < WARN_SHARE * limit and State.stopped == _mark:
        _mark += 1
    memory_stops.look(rss, limit, looked_around)


@guarded("program_guard.refused")
def refused(error: BaseException) -> None:
    """Nobody caught an error about memory: the kernel refused it, as we asked, or it is our own."""
    trace, fit = error.__traceback__, None
    while trace is not None:
        fit = trace.tb_frame if _is_fit(trace.tb_frame) else fit
        trace = trace.tb_next
    if State.stopped == _mark or fit is None:
        return
    memory = memory_watch.last().rss_bytes or 0
    State.rss_bytes, State.limit_bytes = memory, 0
    path = saved_weights(fit)
    if path:
        journal.write(MemoryWarned(number=0, how="guard", rss_bytes=memory, limit_bytes=0, saved=path))


def saved_weights(frame: FrameType | None) -> str:
    """Write the weights of the model that is in training; the path, or ""."""
    while frame is not None and not _is_fit(frame):
        frame = frame.f_back
    owner, tensorflow = journal.current(), sys.modules.get("tensorflow")
    if frame is None or owner is None or tensorflow is None or not tensorflow.executing_eagerly():
        return ""
    model = of_library(frame).get("self")
    room = State.limit_bytes - State.rss_bytes
    if State.limit_bytes and 2 * model_state.largest_bytes(model) > max(room, LEAST_GROWTH_BYTES):
        return ""
    place = os.path.join(owner.run, FOLDER)
    memory_stops.lift()
    try:
        os.makedirs(place, 0o700, exist_ok=True)
        return model_state.save_for_user(model, os.path.join(place, "model"))
    except Exception as error:
        if guard.is_the_users(error):
            raise
        guard.limited("memory guard", f"the model's weights could not be saved: {str(error)[:200]}")
        return ""


def _is_fit(frame: FrameType) -> bool:
    return frame.f_code.co_name in _FITS and "keras" in frame.f_code.co_filename


def _running() -> Scope:
    return Scope(_mark, 0, 0)


def _owns(frame: FrameType) -> bool:
    owner: Any = journal.current()
    return owner is not None and owner.ownership.user_file(frame) is not None


def _message(memory: str, kept: str, saved: str) -> str:
    weights = f"; the model's weights are in {saved}" if saved else ""
    return f"whydied's memory guard stopped the program at {memory}{kept}{weights}"
