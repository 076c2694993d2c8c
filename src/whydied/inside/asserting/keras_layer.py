"""A check as a Keras layer, for tensors of a functional model that has no values yet; runs in the user's process.

What always holds: the layer has no weights and gives back its input. It is registered with Keras as
`whydied>Assertion`, so that a saved model loads where `whydied.inside.asserting.keras_layer.register()` was called.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from whydied.inside.asserting import origin
from whydied.inside.asserting.checks import Bad, Check, Finite, LimitBytes, LimitDims, Range, ShapeIs
from whydied.inside.asserting.origin import Source
from whydied.inside.asserting.wiring import Asking, checked, failed
from whydied.records import Frame

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
    layer_of_ours = kind(_config(asking.check), tensor=name or layer, place=origin.spot(frames[-1]) if frames else "")
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
            asking = Asking(_check(self._asserted), name, sys._getframe(1), frames=tuple(self._stands_at))
            return checked(inputs, asking)

        def compute_output_shape(self, input_shape: Any) -> Any:
            return input_shape

        def get_config(self) -> dict[str, Any]:
            own = {"check": self._asserted, "tensor": self._tensor, "place": self._place}
            return {**super().get_config(), **own}

    # Read by AutoGraph, as in `whydied.inside.asserts`.
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


def _check(config: dict[str, Any]) -> Check:
    kind = config["kind"]
    if kind == "range":
        return Range(config["low"], config["high"])
    if kind == "shape":
        return ShapeIs(config["shape"])
    if kind == "bytes":
        return LimitBytes(config["most"])
    return LimitDims(config["most"]) if kind == "dims" else Finite()


def _item_bytes(dtype: str) -> int:
    tf: Any = sys.modules.get("tensorflow")
    return int(tf.as_dtype(dtype).size) if tf is not None else 4
