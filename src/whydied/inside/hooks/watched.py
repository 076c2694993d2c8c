"""Sees what Keras layers give and what gradients optimizers get, for checks and logs that were asked for; runs in the
user's process.

Invariant: without a wish nothing is hooked. No frame of ours is on the stack while a layer runs: at the end of
each call Keras fetches something from the layer, in whose frame the outputs lie.
"""

from __future__ import annotations

import sys
from types import FrameType, ModuleType
from typing import Any

from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.public import requested_watches

_KERAS_2_LAST = "_saved_model_inputs_spec"
_GRADIENTS = (
    ("keras.src.optimizers.base_optimizer", "BaseOptimizer", "_backend_apply_gradients"),
    ("{}.src.optimizers.optimizer", "_BaseOptimizer", "_internal_apply_gradients"),
    ("{}.src.optimizers.optimizer", "Optimizer", "_internal_apply_gradients"),
    ("{}.src.optimizers.legacy.optimizer_v2", "OptimizerV2", "_transform_unaggregated_gradients"),
)


def hook_layers(module: ModuleType) -> None:
    """The package of layers, of Keras 3 and Keras 2."""
    wished = requested_watches.current()
    if not wished.asserts and not wished.watch:
        return
    layer = module.Layer
    with guard.limits("outputs of layers"):
        if hasattr(layer, "_maybe_reset_call_context"):
            frameless.before_method(layer, "_maybe_reset_call_context", _called)
        elif "_get_unnested_name_scope" in layer.__dict__:
            setattr(layer, _KERAS_2_LAST, _Fetched(_KERAS_2_LAST))
        else:
            raise AttributeError(f"{module.__name__}.Layer is not as expected")


def hook_optimizers(module: ModuleType) -> None:
    """The package of optimizers, of Keras 3 and Keras 2."""
    if not requested_watches.current().watch:
        return
    hooked = False
    for home, owner, name in _GRADIENTS:
        kind = getattr(sys.modules.get(home.format(module.__name__.partition(".")[0])), owner, None)
        if isinstance(kind, type) and name in kind.__dict__:
            frameless.before_method(kind, name, _applied)
            hooked = True
    if not hooked:
        guard.limited("gradients of watched layers", f"{module.__name__} has none of the expected methods")


class _Fetched:
    """An attribute of a Keras 2 layer that `Layer.__call__` fetches last of all. Its value lies where it did."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: Any = None) -> Any:
        if layer is None:
            return self
        frame = sys._getframe(1)
        if frame.f_code.co_name == "__call__":
            try:
                _called(layer, frame)
            except BaseException as error:
                if guard.is_the_users(error) or not isinstance(error, Exception):
                    raise
        try:
            return layer.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, layer: Any, value: Any) -> None:
        layer.__dict__[self._name] = value

    def __delete__(self, layer: Any) -> None:
        layer.__dict__.pop(self._name, None)


@guarded("watched.called")
def _called(layer: Any, frame: FrameType) -> None:
    if frame.f_code.co_name != "__call__":
        return
    names = of_library(frame)
    outputs = names.get("outputs")
    if outputs is None:
        return
    from whydied.inside.hooks import assertions
    from whydied.inside.public import tensor_log

    assertions.outputs_made(layer, outputs, frame)
    tensor_log.outputs_made(layer, outputs)


@guarded("watched.applied")
def _applied(optimizer: Any, frame: FrameType) -> None:
    names = of_library(frame)
    grads, variables = names.get("grads"), names.get("trainable_variables")
    pairs = names.get("grads_and_vars")
    if pairs is None and grads is not None and variables is not None:
        pairs = zip(grads, variables, strict=False)
    if pairs is None:
        return
    from whydied.inside.public import tensor_log

    tensor_log.gradients_made([(gradient, variable) for gradient, variable in pairs if gradient is not None])
