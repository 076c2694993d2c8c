"""Keeps the state of each `fit` after its epochs, and lets the `fit` of another run go on with it; runs in the user's
process, where `whydied run --heal` asked for it.

As Keras' own `BackupAndRestore` does it, a callback of ours stands behind those of the program. Different from that
one, a `fit` that ended stays ended in the next run, with its history: the program may have died later.

    <backup>/claims/<run>-<command>-<n>     process n of that run with this command line
    <backup>/<command>-<n>/<fit>-<function>/state.json, <epoch>.weights.h5

Invariant: the training dies of nothing here. What is not finite is not kept, so the state is the last good one. A
`fit` whose model or arrays differ from those of the state, or that is called with a later `initial_epoch`, begins as
the program says. A program with a `BackupAndRestore` of its own is left alone, as are child processes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
import zlib
from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any

import msgspec

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.public import requested_watches
from whydied.inside.resuming import model_state
from whydied.records import FitResumed, FitState, Frame

MOST_FITS = 100
"""A program that calls `fit` more often calls it for single steps."""
COST = 5.0
"""An epoch is kept when at least this many times as long has passed since the last one as that took to be kept."""
FREE_TIMES = 4
"""The disk has room for this many states more, or none is kept."""
STATE = "state.json"
_own: dict[type, type] = {}
_fits = 0
_place: str | None = None


def hook_callbacks(module: ModuleType) -> None:
    """`CallbackList` of Keras 2 and 3."""
    with guard.limits("backups"):
        frameless.before_method(module.CallbackList, "on_train_begin", _begins)


@guarded("fit_backups.begins")
def _begins(callbacks: Any, frame: FrameType) -> None:
    global _fits
    names = of_library(frame)
    model = names.get("self")
    if frame.f_code.co_name != "fit" or model is None or _is_child():
        return
    _fits += 1
    known = callbacks.callbacks
    known[:] = [one for one in known if type(one) not in _own.values()]
    if _fits > MOST_FITS or any(base.__name__ == "BackupAndRestore" for one in known for base in type(one).__mro__):
        return
    user = journal.frames(frame.f_back)
    place = os.path.join(_process_place(), f"{_fits}-{user[-1].function.strip('<>') if user else ''}")
    history = next((one for one in known if type(one).__name__ == "History"), None)
    callback = _callback_class(known)()
    callback.work = FitBackup(place, model, names, history, user)
    callback.set_model(model)
    callback.set_params(callbacks.params)
    known.append(callback)


class FitBackup:
    """One call of `fit`."""

    def __init__(self, place: str, model: Any, names: dict[str, Any], history: Any, frames: list[Frame]) -> None:
        self._place = place
        self._model = model
        self._history = history
        self._frames = frames
        self._first = int(names.get("initial_epoch") or 0)
        self._epochs = int(names.get("epochs") or 1)
        self._data = model_state.sample(names.get("x"), names.get("y"))
        self._rate: float | None = None
        self._moved = False
        self._next = self._first
        self._kept_s = 0.0
        self._cost_s = 0.0

    @guarded("fit_backups.restore")
    def restore(self) -> None:
        """All callbacks of the program have begun."""
        self._rate = model_state.rate(self._model)
        state = self._read()
        if state is None or state.epoch <= self._first:
            return
        at = self._epochs if state.finished and state.epochs == self._epochs else state.epoch
        reason = self._differs(state)
        if not reason:
            try:
                model_state.load(self._model, os.path.join(self._place, state.weights))
            except Exception as error:
                if guard.is_the_users(error):
                    raise
                reason = f"its weights could not be loaded: {str(error)[:200]}"
        if not reason:
            self._adjust_rate(state)
            self._go_on_at(at)
            if self._history is not None:
                nan = float("nan")
                self._history.history = {
                    name: [nan if value is None else value for value in values]
                    for name, values in state.history.items()
                }
                self._history.epoch = list(state.history_epochs)
        journal.write(
            FitResumed(epoch=self._first if reason else at, epochs=self._epochs, frames=self._frames, reason=reason)
        )

    @guarded("fit_backups.epoch_began")
    def epoch_began(self) -> None:
        self._let_go()

    @guarded("fit_backups.epoch_ended")
    def epoch_ended(self, epoch: int) -> None:
        self._next = epoch + 1
        if time.monotonic() - self._kept_s >= COST * self._cost_s:
            self._keep()

    @guarded("fit_backups.ended")
    def ended(self) -> None:
        self._let_go()
        self._keep(finished=True)

    def _differs(self, state: FitState) -> str:
        if state.shapes != model_state.shapes(self._model):
            return "the weights of the model have other shapes than before"
        if state.data and self._data and not model_state.are_alike(state.data, self._data):
            return "the data are not those of before"
        return ""

    def _adjust_rate(self, state: FitState) -> None:
        """The optimizer's state holds the rate too: another one in the program is meant."""
        rate = model_state.rate(self._model)
        if self._rate and state.rate and rate and self._rate != state.rate:
            model_state.set_rate(self._model, rate * self._rate / state.rate)

    def _go_on_at(self, epoch: int) -> None:
        """Keras asks for this right after the callbacks have begun."""
        self._next, self._moved = epoch, True
        if model_state.is_keras_3(self._model):
            self._model._initial_epoch = epoch
        else:
            self._model._training_state = _Counters(epoch)

    def _let_go(self) -> None:
        """The next `fit` of this model begins at its own epoch again."""
        if self._moved:
            self._moved = False
            setattr(self._model, "_initial_epoch" if model_state.is_keras_3(self._model) else "_training_state", None)

    def _keep(self, finished: bool = False) -> None:
        began_s = time.monotonic()
        with _tolerated():
            if self._next <= self._first or not model_state.is_finite(self._model):
                return
            os.makedirs(self._place, 0o700, exist_ok=True)
            if shutil.disk_usage(self._place).free < FREE_TIMES * model_state.size_bytes(self._model):
                guard.limited("backups", "the disk has no room for the state of the training")
                return
            stem = os.path.join(self._place, f"{self._next}{'-end' if finished else ''}")
            path = model_state.save(self._model, stem)
            self._write(os.path.basename(path), finished)
        self._kept_s = time.monotonic()
        self._cost_s = self._kept_s - began_s

    def _write(self, weights: str, finished: bool) -> None:
        history = getattr(self._history, "history", None) or {}
        state = FitState(
            epoch=self._next,
            epochs=self._epochs,
            weights=weights,
            finished=finished,
            shapes=model_state.shapes(self._model),
            data=self._data,
            rate=self._rate,
            history={str(name): model_state.plain(values) for name, values in history.items()},
            history_epochs=[int(epoch) for epoch in getattr(self._history, "epoch", [])],
        )
        target = os.path.join(self._place, STATE)
        with open(f"{target}.new", "wb") as file:
            file.write(msgspec.json.encode(state))
        os.replace(f"{target}.new", target)
        for name in os.listdir(self._place):
            if not name.startswith((f"{weights}.", STATE)) and name not in (weights, "checkpoint"):
                os.unlink(os.path.join(self._place, name))

    def _read(self) -> FitState | None:
        try:
            with open(os.path.join(self._place, STATE), "rb") as file:
                return msgspec.json.decode(file.read(), type=FitState)
        except (OSError, msgspec.MsgspecError):
            return None


class _Counters:
    """What Keras 2 asks for the epoch to begin with, in its older and its newer words."""

    def __init__(self, epoch: int) -> None:
        self._epoch = epoch

    def maybe_load_initial_counters_from_ckpt(self, *args: Any, **kwargs: Any) -> tuple[int, int]:
        return self._epoch, 0

    def maybe_load_initial_epoch_from_ckpt(self, *args: Any, **kwargs: Any) -> int:
        return self._epoch


@contextlib.contextmanager
def _tolerated() -> Iterator[None]:
    """The disk, or the memory, is not ours."""
    try:
        yield
    except (OSError, MemoryError) as error:
        if guard.is_the_users(error):
            raise
        guard.limited("backups", f"the state of the training could not be kept: {error}")


def _callback_class(known: list[Any]) -> type:
    """A callback of the same Keras as the others; one of them is always `History` or a callback of the program's."""
    base = next(base for one in known for base in type(one).__mro__ if base.__name__ == "Callback")
    if base not in _own:
        _own[base] = type("FitBackupCallback", (base,), dict(_METHODS))
    return _own[base]


_METHODS: dict[str, Any] = {
    "on_train_begin": lambda self, logs=None: self.work.restore(),
    "on_epoch_begin": lambda self, epoch, logs=None: self.work.epoch_began(),
    "on_epoch_end": lambda self, epoch, logs=None: self.work.epoch_ended(epoch),
    "on_train_end": lambda self, logs=None: self.work.ended(),
}


def _is_child() -> bool:
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


def _process_place() -> str:
    """Where the states of this process go: the same in each run for the n-th process with the same command line."""
    global _place
    if _place is None:
        owner = journal.current()
        run = owner.run if owner is not None else ""
        root = os.path.join(run, requested_watches.current().backup)
        os.makedirs(os.path.join(root, "claims"), 0o700, exist_ok=True)
        command = f"{zlib.crc32(repr(sys.orig_argv).encode()):08x}"
        number = 0
        while True:
            try:
                os.mkdir(os.path.join(root, "claims", f"{os.path.basename(run)}-{command}-{number}"))
                break
            except FileExistsError:
                number += 1
        _place = os.path.join(root, f"{command}-{number}")
    return _place
