"""The memory guard of a whole program: `whydied run --memory-guard`; runs in the user's process.

Where a Keras `fit` is running, the weights of its model are written into the run's directory first: before the stop, or
where a library was refused memory and the exception ends the program, at that end.

Invariant: a program that catches the error and frees memory is guarded again. Nothing is written while a graph is being
traced, or where there is no room for it.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from whydied import words
from whydied.inside import journal
from whydied.inside.guest import frameless, guard
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
_mark = 1
_model: Callable[[], Any] | None = None
"""Gives the model whose `fit` is running, as long as it lives."""


@guarded("program_guard.begin")
def begin() -> None:
    memory_stops.turn(True, Ward(_running, _owns, _message, MemoryError, saved_weights))
    memory_watch.notice = noticed
    memory_watch.refused = refused
    memory_watch.relief = relieve
    journal.write(MemoryGuarded())


@guarded("program_guard.noticed")
def noticed(rss: int, limit: int) -> None:
    global _mark
    if rss < WARN_SHARE * limit and State.stopped == _mark:
        _mark += 1
    memory_stops.look(rss, limit)


@guarded("program_guard.relieve")
def relieve() -> None:
    """The program ends, and what is told of it needs memory too."""
    State.on = False
    memory_stops.lift()


def hook_callbacks(module: ModuleType) -> None:
    """`CallbackList` of Keras 2 and 3."""
    with guard.limits("memory guard"):
        frameless.before_method(module.CallbackList, "on_train_begin", _trains)
        frameless.before_method(module.CallbackList, "on_train_end", _trained)


@guarded("program_guard.trains")
def _trains(callbacks: Any, frame: FrameType) -> None:
    global _model
    model = callbacks.model
    _model = weakref.ref(model) if model is not None else None


@guarded("program_guard.trained")
def _trained(callbacks: Any, frame: FrameType) -> None:
    global _model
    _model = None


@guarded("program_guard.refused")
def refused(error: BaseException) -> None:
    """Nobody caught an error about memory: the kernel refused it, as we asked, or it is our own."""
    if State.stopped == _mark:
        return
    State.rss_bytes, State.limit_bytes = memory_watch.last().rss_bytes or 0, 0
    path = saved_weights()
    if path:
        journal.write(MemoryWarned(number=0, how="guard", rss_bytes=State.rss_bytes, limit_bytes=0, saved=path))


def saved_weights() -> str:
    """Write the weights of the model that is in training; the path, or ""."""
    model, owner = _model() if _model is not None else None, journal.current()
    tensorflow = sys.modules.get("tensorflow")
    if model is None or owner is None or tensorflow is None or not tensorflow.executing_eagerly():
        return ""
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


def _running() -> Scope:
    return Scope(_mark, 0, 0)


def _owns(frame: FrameType) -> bool:
    owner: Any = journal.current()
    return owner is not None and owner.ownership.user_file(frame) is not None


def _message(rss: int, limit: int, kept: str, saved: str) -> str:
    weights = f"; the model's weights are in {saved}" if saved else ""
    left = words.size(max(0, limit - rss))
    return f"whydied's memory guard stopped the program with {left} of memory left{kept}{weights}"
