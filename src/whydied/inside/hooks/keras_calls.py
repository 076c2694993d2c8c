"""Calls of `fit`, `evaluate`, `predict` and their `…_on_batch` kin, with what was passed, their epochs and steps; runs
in the user's process.

Invariant: the public methods stay as they are. Each of them asks an internal method of Keras something before
it does anything else, and there the hook finds its frame: the arguments are its local variables. Epochs and steps are
seen where the list of callbacks is told of them; no callback is added, so what a program sees of its callbacks is its
own (but for `fit_backups`, where they were asked for).
"""

from __future__ import annotations

import sys
import weakref
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.value_facts import describe, type_name
from whydied.inside.hooks import contracts, datasets, inputs
from whydied.inside.model import layer_structure, model_summary, open_calls
from whydied.inside.public import requested_watches
from whydied.records import EpochBegan, StepBegan

KINDS = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})
_UNITS = {"train_on_batch": "train", "test_on_batch": "test", "predict_on_batch": "predict"}
_PLAIN = (
    "batch_size",
    "epochs",
    "initial_epoch",
    "steps_per_epoch",
    "steps",
    "validation_split",
    "validation_steps",
    "validation_batch_size",
    "validation_freq",
    "shuffle",
    "verbose",
    "workers",
    "use_multiprocessing",
    "max_queue_size",
)
_DATA = ("x", "y", "sample_weight", "validation_data")
_LARGEST_PARTS = 8
_SCALARS = (int, float, bool, str)
_counts = {"train": 0, "test": 0, "predict": 0}


def hook_callbacks(module: ModuleType) -> None:
    """`CallbackList` of Keras 2 and 3."""
    for name, work in _TOLD_CALLBACKS.items():
        with guard.limits("keras steps"):
            frameless.before_method(module.CallbackList, name, work)
    if requested_watches.current().backup:
        from whydied.inside.resuming import fit_backups

        fit_backups.hook_callbacks(module)
    memory_guard = sys.modules.get("whydied.inside.memory_guard.program_guard")
    if memory_guard is not None:
        memory_guard.hook_callbacks(module)


@guarded("keras_calls.asked")
def _asked(model: Any, frame: FrameType) -> None:
    if frame.f_code.co_name in KINDS:
        _begin(model, frame)


@guarded("keras_calls.makes_function")
def _makes_function(model: Any, frame: FrameType) -> None:
    if frame.f_code.co_name == "predict_on_batch":
        _begin(model, frame)


@guarded("keras_calls.iterates")
def _iterates(iterator: Any, frame: FrameType) -> None:
    """Data begin to be read. For `predict` this is the first that we see of it."""
    caller: FrameType | None = frame
    for _ in range(4):
        if caller is None:
            return
        if caller.f_code.co_name in KINDS and "keras" in caller.f_code.co_filename:
            break
        caller = caller.f_back
    else:
        return
    assert caller is not None
    call = open_calls.running(caller)
    if call is None or call.address != id(caller):
        model = of_library(caller).get("self")
        call = _begin(model, caller)
    if call is not None and call.kind == "predict":
        weakref.finalize(iterator, _left, call).atexit = False


@guarded("keras_calls.left")
def _left(call: open_calls.Call) -> None:
    """The iterator of a call is gone, and so is its frame."""
    open_calls.leave(call)


def _begin(model: Any, frame: FrameType) -> open_calls.Call | None:
    kind = frame.f_code.co_name
    names = of_library(frame)
    call = open_calls.enter(kind, frame, layer_structure.name_of(model), _arguments(names))
    unit = _UNITS.get(kind)
    if unit is not None:
        count(unit, call)
        inputs.noted("batch", model, names.get("x"), frame.f_back)
    model_summary.noted(model, call)
    contracts.begun(model, names, call, frame)
    return call


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


def _counting(unit: str) -> Any:
    @guarded(f"keras_steps.{unit}")
    def began(callbacks: Any, frame: FrameType) -> None:
        count(unit, open_calls.running(frame))

    return began


def _leaving(place: str, kind: str) -> Any:
    @guarded(f"keras_steps.{place}")
    def ended(callbacks: Any, frame: FrameType) -> None:
        open_calls.leave_kind(kind, frame)

    return ended


_TOLD_CALLBACKS = {
    "on_epoch_begin": _epoch,
    **{f"on_{unit}_batch_begin": _counting(unit) for unit in _counts},
    "on_train_end": _leaving("train_end", "fit"),
    "on_test_end": _leaving("test_end", "evaluate"),
}


def _arguments(names: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _PLAIN:
        value = names.get(name)
        if type(value) in (int, float, bool, str):
            found[name] = value
    for name in _DATA:
        value = names.get(name)
        if value is not None:
            found[name] = _data(value, 2)
    return found


def _data(value: Any, depth: int) -> Any:
    """What was passed: type, shape, dtype and bytes, or the parts of a structure."""
    if type(value) in (list, tuple) and depth and not all(type(part) in _SCALARS for part in value[:_LARGEST_PARTS]):
        listed = [_data(part, depth - 1) for part in value[:_LARGEST_PARTS]]
        return {"type": type(value).__name__, "length": len(value), "parts": listed}
    if type(value) is dict and depth:
        parts = {str(k)[:80]: _data(v, depth - 1) for k, v in list(value.items())[:_LARGEST_PARTS]}
        return {"type": "dict", "length": len(value), "parts": parts}
    facts = describe(value)
    told: dict[str, Any] = {"type": facts.type}
    for name, fact in (
        ("shape", facts.shape),
        ("dtype", facts.dtype),
        ("bytes", facts.size_bytes),
        ("length", facts.length),
    ):
        if fact is not None:
            told[name] = fact
    if facts.shape is None and type_name(type(value)).startswith("tensorflow.python.data."):
        told["element_spec"] = str(value.element_spec)[:500]
        batches = datasets.elements(value)
        if batches is not None:
            told["batches"] = batches
    own = instance_dict(value) if facts.shape is None else {}
    # A PyDataset: batches that wait in its queue live beside those that its workers make.
    for name in ("workers", "max_queue_size", "use_multiprocessing"):
        if type(own.get(f"_{name}")) in (int, bool):
            told[name] = own[f"_{name}"]
    return told


# Keras 3, all back ends.
hook_trainer = frameless.hooking("keras calls", "Trainer._assert_compile_called", _asked)
hook_iterator = frameless.hooking("keras calls", "EpochIterator.__init__", _iterates)
hook_backend = frameless.hooking("keras calls", "TensorFlowTrainer.make_predict_function", _makes_function)
# Keras 2 where eager execution is off: its models have methods of their own.
hook_engine_v1 = frameless.hooking("keras calls", "Model._check_call_args", _asked)


def hook_engine(module: ModuleType) -> None:
    """Keras 2."""
    inputs.hook_base_layer(module.base_layer)
    hook_engine_v1(module)
    frameless.hooking("keras calls", "DataHandler.__init__", _iterates)(module.data_adapter)
