"""Whether an op that overflowed in a half type is finite in float32; runs in the process of the replay."""

from __future__ import annotations

from typing import Any

from whydied.replay.execution.execution_trace import Event, Values
from whydied.replay.execution.op_kernels import Kernels, all_finite

_NARROW = ("float16", "bfloat16", "float8_e5m2", "float8_e4m3fn")


def is_finite_when_wide(kernels: Kernels, event: Event, values: Values) -> bool:
    """Execute the op once more with float32 wherever its node says a half type. False where no half type is there."""
    tensorflow = kernels.tensorflow
    narrow = {getattr(tensorflow, name).as_datatype_enum for name in _NARROW if hasattr(tensorflow, name)}
    wide = tensorflow.float32.as_datatype_enum
    attributes = list(event.node.attributes(kernels))
    changed = False
    for at in range(1, len(attributes), 2):
        value = attributes[at]
        if isinstance(value, int) and not isinstance(value, bool) and _is_type(event, attributes[at - 1]):
            if value in narrow:
                attributes[at], changed = wide, True
        elif isinstance(value, list) and any(item in narrow for item in value) and _is_type(event, attributes[at - 1]):
            attributes[at], changed = [wide if item in narrow else item for item in value], True
    if not changed or any(tensor is None for tensor in values.inputs):
        return False
    inputs = [_widened(tensorflow, tensor) for tensor in values.inputs]
    try:
        outputs = kernels.run(event.node.op, tuple(attributes), inputs, event.node.outputs)
    except Exception:
        # The op has no kernel for float32, so nothing can be said of it.
        return False
    return all(
        all_finite(kernels.array(tensor))
        for bad, tensor in zip(event.bad, outputs, strict=False)
        if bad and tensor.dtype.is_floating
    )


def _is_type(event: Event, name: str) -> bool:
    kind = event.node.attr[name].WhichOneof("value")
    return kind == "type" or (kind == "list" and bool(event.node.attr[name].list.type))


def _widened(tensorflow: Any, tensor: Any) -> Any:
    return tensorflow.cast(tensor, tensorflow.float32) if tensor.dtype.name in _NARROW else tensor
