"""The shapes that calls of models, functions and sessions really got, and the weights that layers make; runs in the
user's process.

Invariant: nothing is kept of the user's but shapes. Inputs are recorded when their shapes differ from the last
ones at that place: the first `FREE` of a place, after them each new largest and at most one other in `PAUSE_NS`.
Inside a trace, and for layers inside of other layers, nothing is looked at.
"""

from __future__ import annotations

import sys
import time
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.user_frames import user_frames
from whydied.inside.guest.value_facts import describe
from whydied.inside.model import layer_lines, layer_plan
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.records import BatchChosen, Frame, InputsSeen, LayersPlanned, WeightMade

FREE = 20
PAUSE_NS = 100_000_000
LARGEST_PLACES = 500
LARGEST_PARTS = 8
LARGE_WEIGHT_BYTES = 4 << 20
LARGEST_WEIGHTS = 2000
LARGEST_BATCHES = 500

Part = tuple["int | str", "tuple[int, ...]", Any]
"""The position or name of an argument, its shape, and itself."""


class _Place:
    __slots__ = ("count", "largest_bytes", "last", "written_ns")

    def __init__(self) -> None:
        self.count = 0
        self.largest_bytes = -1
        self.last: list[tuple[int, ...]] = []
        self.written_ns = 0


_places: dict[tuple[str, Any], _Place] = {}
_planned: set[int] = set()
_weights_bytes = 0
_weights = 0
_batches = 0


def hook_models(module: ModuleType) -> None:
    """Keras 3: `__call__` and `add_weight` of every layer first ask whether its constructor ran."""
    try:
        frameless.before_method(module.Layer, "_check_super_called", _asked)
    except AttributeError as error:
        guard.limited("inputs of models", str(error))


def hook_base_layer(module: ModuleType) -> None:
    """Keras 2: the outermost call of a layer clears its losses, and `add_weight` has TensorFlow make the variable."""
    for name, work in (("_clear_losses", _called), ("_add_variable_with_custom_getter", _weight_made)):
        try:
            frameless.before_method(module.Layer, name, work)
        except AttributeError as error:
            guard.limited("inputs of models", str(error))


def hook_functions(module: ModuleType) -> None:
    try:
        frameless.before_method(module.Function, "_call", _function)
    except AttributeError as error:
        guard.limited("inputs of functions", str(error))


def hook_session(module: ModuleType) -> None:
    try:
        frameless.before_method(module.BaseSession, "_run", _session)
    except AttributeError as error:
        guard.limited("inputs of sessions", str(error))


def hook_batches(module: ModuleType) -> None:
    _hook_batches(module, "_batch")


def hook_padded_batches(module: ModuleType) -> None:
    _hook_batches(module, "_padded_batch")


def _hook_batches(module: ModuleType, name: str) -> None:
    try:
        frameless.before(module, name, _batched)
    except AttributeError as error:
        guard.limited("batches of pipelines", str(error))


def hook_scripts(module: ModuleType) -> None:
    """What Python generators give to `tf.data` passes here."""
    try:
        frameless.before_method(module.FuncRegistry, "_convert", _generated)
    except AttributeError as error:
        guard.limited("inputs from generators", str(error))


@guarded("inputs.asked")
def _asked(layer: Any, frame: FrameType) -> None:
    function = frame.f_code.co_name
    if function == "__call__":
        if _outermost() and executing_eagerly():
            names = of_library(frame)
            _plan(layer)
            seen("call", id(layer), _layer_name(layer), (names.get("args"), names.get("kwargs")), frame.f_back)
    elif function == "add_weight":
        _weight(layer, frame)


@guarded("inputs.called")
def _called(layer: Any, frame: FrameType) -> None:
    if frame.f_code.co_name == "__call__" and executing_eagerly():
        names = of_library(frame)
        _plan(layer)
        given = (names.get("inputs"), *(names.get("args") or ()))
        seen("call", id(layer), _layer_name(layer), (given, names.get("kwargs")), frame.f_back)


@guarded("inputs.weight_made")
def _weight_made(layer: Any, frame: FrameType) -> None:
    if frame.f_code.co_name == "add_weight":
        _weight(layer, frame)


@guarded("inputs.function")
def _function(function: Any, frame: FrameType) -> None:
    if executing_eagerly():
        names = of_library(frame)
        seen("function", id(function), function._name, (names.get("args"), names.get("kwds")), frame.f_back)


@guarded("inputs.session")
def _session(session: Any, frame: FrameType) -> None:
    """The frame is that of `Session.run`; the fetches stand for the place: training and testing feed different rows."""
    names = of_library(frame)
    feeds, fetches = names.get("feed_dict"), names.get("fetches")
    if isinstance(feeds, dict) and feeds:
        fetched = fetches if isinstance(fetches, (list, tuple)) else [fetches]
        key = (id(session), *(id(thing) for thing in fetched[:LARGEST_PARTS]))
        told = {_feed_name(tensor): value for tensor, value in feeds.items()}
        seen("session", key, "", ((), told), frame.f_back)


def _feed_name(tensor: Any) -> str:
    """The text of a tensor is long to make, and seldom needed."""
    name = getattr(tensor, "name", None)
    return name if isinstance(name, str) else str(tensor)[:80]


@guarded("inputs.batched")
def _batched(frame: FrameType) -> None:
    """The frame is that of the method of `Dataset`."""
    global _batches
    size: Any = of_library(frame).get("batch_size")
    user = _frames(frame)
    _batches += 1
    if user and _batches <= LARGEST_BATCHES and executing_eagerly():
        journal.write(BatchChosen(rows=int(size), method=frame.f_code.co_name, frames=user))


@guarded("inputs.generated")
def _generated(registry: Any, frame: FrameType) -> None:
    names = of_library(frame)
    # Before Python 3.12 a comprehension has a frame of its own.
    outer = names if "token" in names or frame.f_back is None else of_library(frame.f_back)
    value, whole = names.get("x", names.get("ret")), outer.get("ret")
    if value is None:
        return
    # The parts of an element come one by one.
    parts = whole if isinstance(whole, (tuple, list)) else [value]
    part = next((number for number, one in enumerate(parts) if one is value), 0)
    seen("generator", (outer.get("token"), part), "", ((), {part: value}), None)


def seen(unit: str, key: Any, name: Any, given: tuple[Any, Any], frame: FrameType | None) -> None:
    """Something was called with positional and keyword arguments."""
    positional, keywords = given
    parts: list[Part] = []
    for number, value in enumerate(positional or ()):
        _collect(number, value, parts, 2)
    for word, value in (keywords or {}).items():
        _collect(word, value, parts, 2)
    if not parts:
        return
    place = _places.get((unit, key)) or _new_place(unit, key)
    place.count += 1
    shapes = [part[1] for part in parts]
    if shapes == place.last:
        return
    place.last = shapes
    size = sum(_bytes(part[2], part[1]) for part in parts)
    now = time.monotonic_ns()
    if place.count > FREE and size <= place.largest_bytes and now - place.written_ns < PAUSE_NS:
        return
    place.largest_bytes = max(size, place.largest_bytes)
    place.written_ns = now
    journal.write(
        InputsSeen(
            unit=unit,
            name=name if isinstance(name, str) else "",
            count=place.count,
            arguments=[str(part[0]) for part in parts],
            shapes=[list(shape) for shape in shapes],
            size_bytes=size,
            taped=_taped() if unit in ("call", "function") else False,
            frames=_frames(frame),
        )
    )


def _plan(model: Any) -> None:
    """Told before the first call under a tape: that may be the last thing the program does."""
    if id(model) in _planned or not _taped():
        return
    if len(_planned) >= LARGEST_PLACES:
        _planned.clear()
    _planned.add(id(model))
    outputs = layer_plan.plan(model)
    if outputs:
        journal.write(LayersPlanned(model=_layer_name(model), layers=outputs))


def _new_place(unit: str, key: Any) -> _Place:
    if len(_places) >= LARGEST_PLACES:
        _places.clear()
    place = _places[unit, key] = _Place()
    return place


def _collect(word: int | str, value: Any, into: list[Part], depth: int) -> None:
    """Only shapes are read here: this runs at every call, and they seldom change."""
    kind = type(value)
    if kind.__name__ == "EagerTensor":
        into.append((word, value._shape_tuple(), value))
    elif kind.__name__ == "ndarray" and kind.__module__ == "numpy":
        into.append((word, value.shape, value))
    elif depth and kind in (list, tuple) and len(value) <= LARGEST_PARTS:
        for part in value:
            _collect(word, part, into, depth - 1)
    elif depth and kind is dict and len(value) <= LARGEST_PARTS:
        for name, part in value.items():
            _collect(name if type(name) is str else word, part, into, depth - 1)


def _bytes(value: Any, shape: tuple[int, ...]) -> int:
    return _product(shape) * int(value.itemsize if type(value).__name__ == "ndarray" else value.dtype.size)


def _product(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _outermost() -> bool:
    state: Any = sys.modules.get("keras.src.backend.common.global_state")
    return state is not None and getattr(state.GLOBAL_STATE_TRACKER, "current_call_ctx", None) is None


def _taped() -> bool:
    record: Any = sys.modules.get("tensorflow.python.eager.record")
    return record is not None and bool(record.could_possibly_record())


def _frames(frame: FrameType | None) -> list[Frame]:
    owner = journal.current()
    return user_frames(frame, owner.ownership) if owner is not None and frame is not None else []


def _layer_name(layer: Any) -> str:
    own = getattr(layer, "__dict__", {})
    name = own.get("name", own.get("_name"))
    return name if isinstance(name, str) else type(layer).__name__


def _weight(layer: Any, frame: FrameType) -> None:
    """A layer asks for a weight. It is recorded before it is made: that may be the last thing the program does."""
    global _weights_bytes, _weights
    names = of_library(frame)
    shape, given = names.get("shape"), names.get("args")
    if shape is None and given:
        shape = given[0]
    if shape is None:
        return
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if None in sizes:
        # Keras is about to refuse it.
        return
    extents = [int(extent) for extent in sizes]
    dtype = names.get("dtype") or getattr(layer, "variable_dtype", None)
    # Keras 2 has made a DType of it.
    dtype = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    dtype = dtype if isinstance(dtype, str) else "float32"
    size = _product(tuple(extents)) * _ITEM.get(dtype, 4)
    _weights_bytes += size
    if size < LARGE_WEIGHT_BYTES or _weights >= LARGEST_WEIGHTS:
        return
    _weights += 1
    origin = layer_lines.origin(layer)
    made = origin.line
    owner = journal.current()
    journal.write(
        WeightMade(
            layer=origin.name,
            type=origin.type,
            weight=str(names.get("name") or ""),
            shape=extents,
            dtype=dtype,
            size_bytes=size,
            total_bytes=_weights_bytes,
            built=Frame(file=made[0], line=made[1], function=made[2], user=True) if made is not None else None,
            frames=user_frames(frame, owner.ownership) if owner is not None else [],
        )
    )


_ITEM = {"float64": 8, "int64": 8, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "bool": 1, "int16": 2}


def noted(unit: str, model: Any, value: Any, frame: FrameType | None) -> None:
    """A batch that a Keras method got as its argument."""
    if describe(value).shape is not None or type(value) in (list, tuple, dict):
        seen(unit, id(model), _layer_name(model), ((), {"x": value}), frame)
