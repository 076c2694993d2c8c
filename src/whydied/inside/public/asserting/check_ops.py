"""Makes a check part of a computation: done at once where values are there, ops with a control dependency in a graph;
runs in the user's process.

Invariant: the tensor that comes back has the values and the gradient of the one that went in. Where values are
there it is the very same object.
"""

from __future__ import annotations

import importlib
import sys
from types import FrameType
from typing import Any

from whydied import redact
from whydied.errors import CheckFailed
from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.model import execution_mode
from whydied.inside.public.asserting import assertion_place
from whydied.inside.public.asserting.assertion_place import Source
from whydied.inside.public.asserting.tensor_checks import (
    Bad,
    Check,
    Finite,
    LimitBytes,
    LimitDims,
    Range,
    ShapeIs,
    shown_shape,
)
from whydied.records import AssertionFailed, AssertionPlaced, Frame

LARGEST_PLACED = 500
_SUMMARIZED = 64
_placed = 0


class Asking:
    """An assertion at its place. The lines are looked up when something is to be said."""

    def __init__(
        self, check: Check, name: str | None, frame: FrameType | None, layer: str = "", frames: tuple[Frame, ...] = ()
    ) -> None:
        self.check = check
        self.frame = frame
        self.layer = layer
        self._name = name
        self._frames = frames
        self._part = ""

    def part(self, key: str) -> Asking:
        """The same for a part of what is asserted: `grads[0]`."""
        inner = Asking(self.check, self._name, self.frame, self.layer, self._frames)
        inner._part = self._part + key
        return inner

    def place(self) -> tuple[list[Frame], str]:
        """The user's lines, and the name of the tensor."""
        frames = list(self._frames) or assertion_place.here(self.frame)
        name = self._name
        if name is None:
            name = assertion_place.argument(frames[-1] if frames else None, self.check.function)
        return frames, name + self._part if name else ""


def checked(value: Any, asking: Asking) -> Any:
    """The value with the check made or wired in. Raises CheckFailed."""
    if value is None:
        return None
    if isinstance(value, dict):
        return type(value)((key, checked(one, asking.part(f"[{key!r}]"))) for key, one in value.items())
    if isinstance(value, (list, tuple)) and not _are_numbers(value):
        parts = [checked(one, asking.part(f"[{at}]")) for at, one in enumerate(value)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    tf: Any = sys.modules.get("tensorflow")
    if tf is not None and type(value).__module__.startswith(("tensorflow.", "keras.", "tf_keras.")):
        return _checked_tensor(tf, value, asking)
    _check_array(value, asking)
    return value


def _are_numbers(values: list[Any] | tuple[Any, ...]) -> bool:
    return all(
        isinstance(value, (bool, int, float, complex, str))
        or (isinstance(value, (list, tuple)) and _are_numbers(value))
        for value in values
    )


def _checked_tensor(tf: Any, value: Any, asking: Asking) -> Any:
    if type(value).__name__ == "KerasTensor":
        return checked_symbol(value, asking)
    if isinstance(value, tf.RaggedTensor):
        if not asking.check.of_elements:
            return _checked_shape(tf, value, value.flat_values, asking)
        inner = checked(value.flat_values, asking)
        return value if inner is value.flat_values else value.with_flat_values(inner)
    if isinstance(value, tf.SparseTensor):
        if not asking.check.of_elements:
            return _checked_shape(tf, value, value.values, asking)
        inner = checked(value.values, asking)
        return value if inner is value.values else tf.SparseTensor(value.indices, inner, value.dense_shape)
    if isinstance(value, tf.IndexedSlices):
        inner = checked(value.values, asking)
        return value if inner is value.values else tf.IndexedSlices(inner, value.indices, value.dense_shape)
    tensor = value if isinstance(value, tf.Tensor) else tf.convert_to_tensor(value)
    if not tf.is_symbolic_tensor(tensor):
        _check_array(tensor, asking)
        return value
    _check_facts(tensor, asking)
    operation = wire(tf, tensor, asking)
    if operation is None:
        return value
    return behind(tf, tensor, operation)


def _checked_shape(tf: Any, value: Any, values: Any, asking: Asking) -> Any:
    """Of a ragged or sparse tensor, as far as it is known: its values are fewer than its shape says."""
    shape = getattr(value, "dense_shape", None)
    shape = shape if shape is not None and not tf.is_symbolic_tensor(shape) else value.shape
    known = tuple(None if size is None else int(size) for size in shape) if len(shape) else ()
    wrong = asking.check.of_shape(known, values.dtype.name, values.dtype.size)
    if wrong is not None:
        raise failed(Bad(wrong), asking, values.dtype.name, known)
    return value


def _check_facts(tensor: Any, asking: Asking) -> None:
    """What can be told before the graph runs."""
    wrong = asking.check.of_shape(static_shape(tensor), tensor.dtype.name, tensor.dtype.size)
    if wrong is not None:
        raise failed(Bad(wrong), asking, tensor.dtype.name, static_shape(tensor), assertion_place.of_tensor(tensor))


def _check_array(value: Any, asking: Asking) -> None:
    import numpy

    array = numpy.asarray(value)
    if array.dtype.kind == "O" and asking.check.of_elements:
        raise TypeError(f"{asking.check.function} cannot check a {type(value).__name__}")
    bad = asking.check.of_array(array)
    if bad is not None:
        raise failed(bad, asking, str(array.dtype), array.shape)


def behind(tf: Any, tensor: Any, operation: Any) -> Any:
    """A tensor that is there when an op has run, with the mask that Keras hangs on tensors."""
    with tf.control_dependencies([operation]):
        same = tf.identity(tensor)
    mask = getattr(tensor, "_keras_mask", None)
    if mask is not None:
        same._keras_mask = mask
    return same


def wire(tf: Any, tensor: Any, asking: Asking) -> Any:
    """The op that fails where the check does, or None where nothing is left to check."""
    check = asking.check
    if check.is_decided(static_shape(tensor), tensor.dtype.name):
        return None
    if execution_mode.is_compiled(asking.frame):
        # XLA leaves out what fails, but would compile all that the message is made of.
        guard.limited("assertions under XLA", "XLA drops what can only be checked while a function runs")
        return None
    head = _placed_head(tensor, asking)
    with tf.name_scope(f"whydied_{check.function}"):
        good, told = check.in_graph(tf, tensor)

        def fail() -> Any:
            return tf.raw_ops.Assert(condition=good, data=[head, *told()], summarize=_SUMMARIZED)

        return tf.cond(good, tf.no_op, fail)


def _placed_head(tensor: Any, asking: Asking) -> str:
    """The beginning of the message of a check in a graph, and the record of it."""
    global _placed
    frames, name = asking.place()
    source = assertion_place.of_tensor(tensor)
    source = source._replace(layer=asking.layer or source.layer)
    if not source.words:
        source = source._replace(words=assertion_place.of_name(frames[-1] if frames else None, name).words)
    kind = f"{tensor.dtype.name}, shape {shown_shape(static_shape(tensor))}"
    head = _head(asking.check, frames, name, kind)
    head += f" expected {asking.check.expected}{f'; {source.words}' if source.words else ''}; it"
    _placed += 1
    if _placed <= LARGEST_PLACED:
        journal.write(
            AssertionPlaced(
                check=asking.check.function,
                name=name,
                head=redact.text(head),
                expected=asking.check.expected,
                source=redact.text(source.words),
                frames=frames,
                made=list(source.frames),
                layer=source.layer,
            )
        )
    return head


def failed(
    bad: Bad, asking: Asking, dtype: str, shape: tuple[int | None, ...] | None, source: Source | None = None
) -> CheckFailed:
    """The error of a check that failed: where, culprit, actual, expected, source."""
    check = asking.check
    frames, name = asking.place()
    source = (
        source if source is not None and source.words else assertion_place.of_name(frames[-1] if frames else None, name)
    )
    head = _head(check, frames, name, f"{dtype}, shape {shown_shape(shape)}" if bad.number else dtype)
    message = f"{head} has {bad.actual}; expected {check.expected}{f'; {source.words}' if source.words else ''}"
    journal.write(
        AssertionFailed(
            check=check.function,
            name=name,
            message=redact.text(message),
            expected=check.expected,
            actual=bad.actual,
            source=redact.text(source.words),
            frames=frames,
            made=list(source.frames),
            layer=asking.layer or source.layer,
            shape=[-1 if size is None else size for size in shape or ()],
            dtype=dtype,
            count=bad.number,
            positions=[list(position) for position in bad.positions],
            rows=list(bad.rows),
            row_count=bad.row_count,
            values=list(bad.values),
        )
    )
    error: CheckFailed = CheckFailed(message)
    return error


def _head(check: Check, frames: list[Frame], name: str, kind: str) -> str:
    where = f"{assertion_place.spot(frames[-1])} in {frames[-1].function}: " if frames else ""
    return f"{where}{check.function}: {f'`{name}`' if name else 'the tensor'} ({kind})"


def static_shape(tensor: Any) -> tuple[int | None, ...] | None:
    """As far as it is known before the graph runs; None where not even the rank is."""
    shape = tensor.shape
    return None if shape.rank is None else tuple(shape.as_list())


# As a Keras layer, for the tensors of a functional model that have no values yet. The layer has no weights, gives back
# its input, and is registered as `whydied>Assertion`, so that a saved model loads where `register()` was called.

_classes: dict[str, Any] = {}


def checked_symbol(value: Any, asking: Asking) -> Any:
    """A symbolic tensor with the check behind it."""
    shape = None if value.shape is None else tuple(value.shape)
    dtype = str(getattr(value.dtype, "name", value.dtype))
    made = getattr(getattr(value, "_keras_history", None), "operation", None) or getattr(
        getattr(value, "_keras_history", None), "layer", None
    )
    layer = str(getattr(made, "name", ""))
    source = Source(f"made by layer {layer}" if layer else "", layer=layer)
    wrong = asking.check.of_shape(shape, dtype, _item_bytes(dtype))
    if wrong is not None:
        raise failed(Bad(wrong), asking, dtype, shape, source)
    if asking.check.is_decided(shape, dtype):
        return value
    frames, name = asking.place()
    kind = register(type(value).__module__.partition(".")[0])
    layer_of_ours = kind(
        _config(asking.check), tensor=name or layer, place=assertion_place.spot(frames[-1]) if frames else ""
    )
    layer_of_ours._stands_at = tuple(frames)
    return layer_of_ours(value)


def register(package: str = "keras") -> Any:
    """The layer's class for a Keras ("keras" or "tf_keras"), known to it by name."""
    if package not in _classes:
        keras: Any = sys.modules.get(package) or importlib.import_module(package)
        saving = getattr(keras, "saving", None) or keras.utils
        _classes[package] = saving.register_keras_serializable("whydied", "Assertion")(_class(keras))
    return _classes[package]


def _class(keras: Any) -> Any:
    class Assertion(keras.layers.Layer):  # type: ignore[misc]
        def __init__(self, check: dict[str, Any], tensor: str = "", place: str = "", **words: Any) -> None:
            super().__init__(**words)
            self.supports_masking = True
            self._asserted = dict(check)
            self._tensor = tensor
            self._place = place
            self._stands_at: tuple[Frame, ...] = ()

        def call(self, inputs: Any) -> Any:
            name = self._tensor if self._stands_at or not self._place else f"{self._tensor} of {self._place}"
            asking = Asking(check_of(self._asserted), name, sys._getframe(1), frames=tuple(self._stands_at))
            return checked(inputs, asking)

        def compute_output_shape(self, input_shape: Any) -> Any:
            return input_shape

        def get_config(self) -> dict[str, Any]:
            own = {"check": self._asserted, "tensor": self._tensor, "place": self._place}
            return {**super().get_config(), **own}

    # Read by AutoGraph, as in `whydied.inside.public.asserts`.
    Assertion.call.__dict__["autograph_info__"] = True
    return Assertion


def _config(check: Check) -> dict[str, Any]:
    if isinstance(check, Range):
        return {"kind": "range", "low": check.low, "high": check.high}
    if isinstance(check, ShapeIs):
        return {"kind": "shape", "shape": check.pattern.text}
    if isinstance(check, LimitBytes):
        return {"kind": "bytes", "most": check.most}
    if isinstance(check, LimitDims):
        return {"kind": "dims", "most": check.rank if check.axes is None else list(check.axes)}
    return {"kind": "finite"}


def check_of(config: dict[str, Any]) -> Check:
    """From what `_config` says of a layer of ours, or a `LayerCheck` of the configuration."""
    kind = config["kind"]
    if kind == "range":
        return Range(config["low"], config["high"])
    if kind == "shape":
        return ShapeIs(config["shape"])
    if kind == "bytes":
        return LimitBytes(config["most"])
    return LimitDims(config["most"]) if kind in ("dims", "rank") else Finite()


def _item_bytes(dtype: str) -> int:
    tf: Any = sys.modules.get("tensorflow")
    return int(tf.as_dtype(dtype).size) if tf is not None else 4
