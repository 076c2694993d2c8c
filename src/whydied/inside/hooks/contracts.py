"""The data of calls into Keras, against what the model and its loss ask of them; runs in the user's process.

Invariant: nothing is raised or changed, and no data are kept alive; see
`whydied.inside.public.contract.contract_watch`. The arguments of a call are seen by `hooks.keras_calls`; elements of
generators where tf.data asks Python for them; targets of a loop that the user wrote where an object of a Keras loss is
called.
"""

from __future__ import annotations

import os
import sys
import weakref
from types import FrameType, GeneratorType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.model import layer_structure, open_calls
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.inside.public.contract import batch_feeds, contract_watch, model_demands, pipeline_arrays
from whydied.inside.public.contract.contract_watch import Array, Input, Moment, now
from whydied.inside.public.contract.data_parts import Leaf, leaves_of
from whydied.inside.public.contract.split_classes import kept_for_validation

_ROLES = {"x": "input", "y": "target", "sample_weight": "weight"}
_LARGEST_CALLS = 100
_prepared = False
_waiting: dict[int, list[tuple[Input, Any]]] = {}
"""By the number of a call: targets whose classes are known only when the loss is first called."""


def hook_losses(module: ModuleType) -> None:
    """Objects of losses, of Keras 2 and 3."""
    owner = getattr(module, "LossFunctionWrapper", None)
    if owner is not None:
        with guard.limits("data contracts"):
            frameless.before_method(owner, "call", _loss)


def begun(model: Any, names: dict[str, Any], call: open_calls.Call | None, frame: FrameType) -> None:
    """A call into Keras begins; `names` are the variables of its frame."""
    if call is not None and "numpy" in sys.modules:
        _begun(model, names, call, frame)


@guarded("contracts.begun")
def _begun(model: Any, names: dict[str, Any], call: open_calls.Call, frame: FrameType) -> None:
    _prepare()
    if call.kind.endswith("_on_batch"):
        _given_batch(model, names, call, frame)
        return
    contract = model_demands.contract_of(model)
    user = tuple(journal.frames(frame.f_back))
    subject = Input("x", "input", "array", call.number, call.kind, layer_structure.name_of(model), user)
    given = names.get("x")
    if pipeline_arrays.is_dataset(given):
        held = pipeline_arrays.source_arrays(given)
        if held is not None:
            _whole(batch_feeds.element(held), contract, subject._replace(sort="pipeline"), given)
        elif form := pipeline_arrays.generated(given):
            batch_feeds.open_feed(batch_feeds.Feed(contract, subject._replace(sort="batches"), call, form == "rows"))
    elif isinstance(given, GeneratorType) or pipeline_arrays.is_py_dataset(given):
        batch_feeds.open_feed(batch_feeds.Feed(contract, subject._replace(sort="batches"), call, False))
    else:
        parts = {word: names.get(word) for word in _ROLES}
        _whole(parts, contract, _split(subject, parts["y"], names.get("validation_split")))


def _split(subject: Input, targets: Any, part: Any) -> Input:
    """With what a call keeps of its targets for validation."""
    found = kept_for_validation(targets, part) if type(part) is float and 0 < part < 1 else None
    return subject if found is None else subject._replace(kept_back=found[0], unseen=found[1])


def _whole(parts: dict[str, Any], contract: model_demands.Contract, subject: Input, pipeline: Any = None) -> None:
    for word, role in _ROLES.items():
        slots = {"input": contract.inputs, "target": contract.targets}.get(role, ())
        leaves = leaves_of(parts.get(word), word)
        for leaf in leaves:
            checks = model_demands.checks_for(leaf, slots, model_demands.any_data())
            mine = subject._replace(name=leaf.name, role=role)
            if role != "target":
                mine = mine._replace(kept_back=None, unseen=())
            value, start, stop = leaf.value, 0, None
            if isinstance(value, pipeline_arrays.SourceArray):
                value, start, stop = value
            watched = Array(mine, checks, value, start, stop)
            if stop is not None:
                watched.batches = pipeline_arrays.batches_of(pipeline, stop - start)
            contract_watch.begin(watched)
            if role == "target" and len(leaves) == 1 and not any(check.term.kind == "classes" for check in checks):
                _wait_for_loss(mine, leaf._replace(value=value))


def _wait_for_loss(subject: Input, leaf: Leaf) -> None:
    if subject.call is None:
        return
    while len(_waiting) >= _LARGEST_CALLS:
        del _waiting[next(iter(_waiting))]
    try:
        _waiting.setdefault(subject.call, []).append((subject, weakref.ref(leaf.value)))
    except TypeError:
        return


def _given_batch(model: Any, names: dict[str, Any], call: open_calls.Call, frame: FrameType) -> None:
    feed = batch_feeds.of_batches(model, call.kind)
    if feed is None:
        user = tuple(journal.frames(frame.f_back))
        subject = Input("x", "input", "batches", call.number, call.kind, layer_structure.name_of(model), user)
        feed = batch_feeds.new_of_batches(
            model, batch_feeds.Feed(model_demands.contract_of(model), subject, call, False)
        )
    batch_feeds.given[call.kind] = feed
    _look(feed, {word: names.get(word) for word in _ROLES}, frame, call.number)


@guarded("contracts.loss")
def _loss(loss: Any, frame: FrameType) -> None:
    """`frame` is that of `Loss.__call__`."""
    if frame.f_code.co_name != "__call__" or "numpy" not in sys.modules:
        return
    call = open_calls.running(frame)
    if call is not None:
        feed = batch_feeds.given.get(call.kind) or batch_feeds.running()
        if call.number in _waiting or (feed is not None and feed.lacks_classes):
            _loss_of_call(loss, call, feed, frame)
    elif executing_eagerly():
        _loss_of_loop(loss, frame)


def _loss_of_call(loss: Any, call: open_calls.Call, feed: batch_feeds.Feed | None, frame: FrameType) -> None:
    checks = [check for check in _checks(loss, frame) if check.term.kind == "classes"]
    for subject, reference in _waiting.pop(call.number, []):
        value = reference()
        if value is not None and checks:
            contract_watch.begin(Array(subject, checks, value))
    if feed is not None and checks:
        feed.ask_of_targets(checks)


def _loss_of_loop(loss: Any, frame: FrameType) -> None:
    feed = batch_feeds.of_batches(loss, "loss")
    if feed is None:
        _prepare()
        contract = model_demands.Contract((), (model_demands.Slot(frozenset(), _checks(loss, frame)),))
        subject = Input("y_true", "target", "batches", None, "loss", "", tuple(journal.frames(frame.f_back)))
        feed = batch_feeds.new_of_batches(loss, batch_feeds.Feed(contract, subject, None, False))
    _look(feed, {"y": of_library(frame).get("y_true")}, frame, None)


def _look(feed: batch_feeds.Feed, parts: dict[str, Any], frame: FrameType, call: int | None) -> None:
    if feed.asks():
        since = now()
        feed.look(parts, lambda: Moment(tuple(journal.frames(frame.f_back)), call))
        feed.spend(since)


def _checks(loss: Any, frame: FrameType) -> Any:
    shape = getattr(of_library(frame).get("y_pred"), "shape", None)
    extents = list(shape) if shape is not None and getattr(shape, "rank", 0) is not None else []
    width = extents[-1] if len(extents) > 1 else None
    return model_demands.target_checks(loss, int(width) if width is not None else None)


@guarded("contracts.generated")
def _generated(registry: Any, frame: FrameType) -> None:
    """What a Python function gave to a graph; the frame, or that of the comprehension in it, asks part after part."""
    feed = batch_feeds.running()
    if feed is None or not feed.may_look():
        return
    since = now()
    names = of_library(frame)
    part = names.get("x")
    if frame.f_code.co_name != "__call__" and frame.f_back is not None:
        names = of_library(frame.f_back)
    parts = names.get("ret")
    if type(parts) is list and parts and parts[0] is part:
        made = batch_feeds.generator_of(names.get("func"))
        if made is not None and feed.asks():
            number = batch_feeds.number_of(made.state)
            feed.number = feed.number if number is None else number
            feed.look(batch_feeds.element(made.packed(parts)), None)
    feed.spend(since)


@guarded("contracts.counted")
def _counted(state: Any, frame: FrameType) -> None:
    batch_feeds.count(state)


@guarded("contracts.completed")
def _completed(state: Any, frame: FrameType) -> None:
    batch_feeds.completed(state)


@guarded("contracts.step")
def _step(callbacks: Any, frame: FrameType) -> None:
    contract_watch.proceed()


@guarded("contracts.end")
def _end() -> None:
    failed = getattr(sys, "last_value", None) or getattr(sys, "last_exc", None)
    contract_watch.end(failed is not None)


def _prepare() -> None:
    """Put the rest in place when it is first needed."""
    global _prepared
    if _prepared:
        return
    _prepared = True
    import atexit

    atexit.register(_end)
    os.register_at_fork(after_in_child=contract_watch.forget)
    for module, owner, name, work in (
        ("keras.src.callbacks.callback_list", "CallbackList", "on_train_batch_begin", _step),
        ("keras.src.callbacks", "CallbackList", "on_train_batch_begin", _step),
        ("tf_keras.src.callbacks", "CallbackList", "on_train_batch_begin", _step),
        ("tensorflow.python.ops.script_ops", "FuncRegistry", "_convert", _generated),
    ):
        kind = getattr(sys.modules.get(module), owner, None)
        if isinstance(kind, type):
            frameless.before_method(kind, name, work)
    data = sys.modules.get("tensorflow.python.data.ops.dataset_ops")
    state = getattr(getattr(data, "DatasetV2", None), "_GeneratorState", None)
    if state is not None:
        frameless.before_method(state, "get_iterator", _counted)
        frameless.before_method(state, "iterator_completed", _completed)
