"""Epochs and steps of Keras, seen where its list of callbacks is told of them; runs in the user's process.

Invariant: no callback is added, so what a program sees of its callbacks is its own.
"""

from __future__ import annotations

from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.model import open_calls
from whydied.records import EpochBegan, StepBegan

_counts = {"train": 0, "test": 0, "predict": 0}


def hook_callbacks(module: ModuleType) -> None:
    """`CallbackList` of Keras 2 and 3."""
    owner = module.CallbackList
    for name, work in (
        ("on_epoch_begin", _epoch),
        ("on_train_batch_begin", _train),
        ("on_test_batch_begin", _test),
        ("on_predict_batch_begin", _predict),
        ("on_train_end", _train_end),
        ("on_test_end", _test_end),
    ):
        try:
            frameless.before_method(owner, name, work)
        except AttributeError as error:
            guard.limited("keras steps", str(error))


def count(unit: str, call: open_calls.Call | None) -> None:
    """One more step."""
    _counts[unit] += 1
    if call is None:
        journal.write(StepBegan(unit=unit, count=_counts[unit]))
        return
    call.step += 1
    journal.write(
        StepBegan(unit=unit, count=_counts[unit], call=call.number, epoch=call.epoch, step=call.step),
    )


@guarded("keras_steps.epoch")
def _epoch(callbacks: Any, frame: FrameType) -> None:
    call = open_calls.running(frame)
    if call is None:
        return
    epoch = of_library(frame).get("epoch") if frame.f_code.co_name == "fit" else None
    call.epoch = epoch if isinstance(epoch, int) else (0 if call.epoch is None else call.epoch + 1)
    call.step = -1
    journal.write(EpochBegan(call=call.number, epoch=call.epoch))


@guarded("keras_steps.train")
def _train(callbacks: Any, frame: FrameType) -> None:
    count("train", open_calls.running(frame))


@guarded("keras_steps.test")
def _test(callbacks: Any, frame: FrameType) -> None:
    count("test", open_calls.running(frame))


@guarded("keras_steps.predict")
def _predict(callbacks: Any, frame: FrameType) -> None:
    count("predict", open_calls.running(frame))


@guarded("keras_steps.train_end")
def _train_end(callbacks: Any, frame: FrameType) -> None:
    open_calls.leave_kind("fit", frame)


@guarded("keras_steps.test_end")
def _test_end(callbacks: Any, frame: FrameType) -> None:
    open_calls.leave_kind("evaluate", frame)
