"""Checks of layers' outputs that the configuration asks for; runs in the user's process.

Invariant: the model is not changed. In eager code a check is made at once; in a `tf.function` it is an op
beside the model's own, which TensorFlow runs because it has an effect. A graph of TensorFlow 1 would not run it: there
the checks are left out, and the report says so.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from types import FrameType
from typing import Any

import msgspec

from whydied.inside.guest import guard
from whydied.inside.guest.user_frames import plain_frame
from whydied.inside.model import layer_lines
from whydied.inside.public import requested_watches
from whydied.inside.public.asserting.check_ops import Asking, check_of, checked, failed, static_shape, wire
from whydied.inside.public.asserting.tensor_checks import Bad, Check

_checks: dict[str, tuple[Check, ...]] = {}


def outputs_made(layer: Any, outputs: Any, frame: FrameType) -> None:
    """A layer has been called. Raises CheckFailed."""
    name = getattr(layer, "name", "")
    checks = _of_layer(name) if isinstance(name, str) else ()
    if not checks:
        return
    tf: Any = sys.modules.get("tensorflow")
    origin = layer_lines.origin(layer)
    # Where the layer's own line is not known, `Asking` takes the line that called it.
    made = (plain_frame(origin.line, True),) if origin.line is not None else ()
    tensors = [one for one in tf.nest.flatten(outputs) if isinstance(one, tf.Tensor)]
    for at, tensor in enumerate(tensors):
        told = f"output of {name}" if at == 0 else f"output {at} of {name}"
        for check in checks:
            _check(tf, tensor, Asking(check, told, frame, name, made))


def _check(tf: Any, tensor: Any, asking: Asking) -> None:
    if not tf.is_symbolic_tensor(tensor):
        checked(tensor, asking)
        return
    shape = static_shape(tensor)
    wrong = asking.check.of_shape(shape, tensor.dtype.name, tensor.dtype.size)
    if wrong is not None:
        raise failed(Bad(wrong), asking, tensor.dtype.name, shape)
    if not hasattr(tensor.graph, "outer_graph"):
        guard.limited("assertions from the configuration", "they do not run in graphs of TensorFlow 1")
        return
    wire(tf, tensor, asking)


def _of_layer(name: str) -> tuple[Check, ...]:
    if name not in _checks:
        if len(_checks) > layer_lines.LARGEST_LAYERS:
            _checks.clear()
        wished = [
            one
            for group in requested_watches.current().asserts
            if fnmatchcase(name, group.glob)
            for one in group.checks
        ]
        _checks[name] = tuple(check_of(msgspec.structs.asdict(wish)) for wish in wished)
    return _checks[name]
