"""Values of variables that TensorFlow read without telling: an op that is given a variable itself reads it in C, and no
callback sees that; runs in the user's process, in listed steps and at a capture.

Invariant: in listed steps nothing is read, because that would use up a number that TensorFlow gives to names. A
tensor is taken for the value of a variable by its type and shape, and only where no listed op read that variable.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from whydied.inside.numerics import hidden_ops
from whydied.inside.numerics.eager.op_log import Entry


def read(handle: Any) -> Any:
    """The present value of a variable; None where it cannot be had."""
    form = hidden_ops.form_of(handle)
    if form is None:
        return None
    reading: Any = sys.modules["tensorflow.python.ops.gen_resource_variable_ops"]
    return reading.read_variable_op(handle, form.dtype)._numpy()


def candidates(tensor: Any, handles: Iterable[Any], entries: list[Entry]) -> list[Any]:
    """The handles of the variables that a tensor may be the value of."""
    told = {entry.inputs[0] for entry in entries if entry.kind == "ReadVariableOp"}
    wanted = (tensor.dtype.as_datatype_enum, tuple(tensor._shape_tuple()))
    return [handle for handle in handles if handle._id not in told and _type_and_shape(handle) == wanted]


def nearest(value: Any, handles: Iterable[Any]) -> Any:
    """The present value of the variable that is nearest to an earlier one; None where there is none."""
    import numpy

    found = [one for one in map(read, handles) if one is not None and one.shape == value.shape]
    with numpy.errstate(all="ignore"):
        return min(found, key=lambda one: float(numpy.abs(one - value).sum()), default=None)


def _type_and_shape(handle: Any) -> tuple[int, tuple[int, ...]] | None:
    form = hidden_ops.form_of(handle)
    return (int(form.dtype), tuple(int(extent.size) for extent in form.shape.dim)) if form is not None else None
