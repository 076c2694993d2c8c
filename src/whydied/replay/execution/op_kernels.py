"""Executes single ops of a graph eagerly; runs in the process of the replay. All private API of TensorFlow is here.

Invariant: an op is executed with exactly the attributes of its node, on the CPU.
"""

from __future__ import annotations

import math
from typing import Any

from whydied.replay.execution.replay_errors import ReplayError


class Kernels:
    """TensorFlow's eager runtime, reached below its Python functions, which would choose attributes anew."""

    def __init__(self) -> None:
        import tensorflow

        self.tensorflow: Any = tensorflow
        try:
            from tensorflow.python import pywrap_tfe
            from tensorflow.python.eager import context
            from tensorflow.python.framework import op_def_registry

            self._context: Any = context.context()
            self._context.ensure_initialized()
            self._handle: Any = self._context._handle
            self._execute: Any = pywrap_tfe.TFE_Py_Execute
            self._definition: Any = op_def_registry.get
        except (ImportError, AttributeError) as error:
            raise ReplayError(f"this TensorFlow has no interface to execute single ops: {error}") from None
        self._known: dict[str, Any] = {}
        self._functions: set[str] = set()

    def definition(self, op: str) -> Any:
        """The OpDef of an op, None where TensorFlow does not know it."""
        if op not in self._known:
            self._known[op] = self._definition(op)
        return self._known[op]

    def output_widths(self, op: str, attributes: Any) -> list[tuple[str, int]]:
        """The named outputs of a node and how many tensors each stands for."""
        definition = self.definition(op)
        if definition is None:
            raise ReplayError(f"TensorFlow does not know the op {op}")
        return [(argument.name, _width(argument, attributes)) for argument in definition.output_arg]

    def is_stateful(self, op: str) -> bool:
        definition = self.definition(op)
        return definition is not None and bool(definition.is_stateful)

    def attributes(self, op: str, given: Any) -> tuple[Any, ...]:
        """The attributes of a node, as the runtime takes them."""
        found: list[Any] = []
        for attribute in self.definition(op).attr:
            if attribute.name in given:
                found += [attribute.name, _attribute(given[attribute.name])]
        return tuple(found)

    def run(self, op: str, attributes: tuple[Any, ...], inputs: list[Any], outputs: int) -> list[Any]:
        """Execute; returns eager tensors. Errors of the kernel are TensorFlow's own."""
        return list(self._execute(self._handle, None, op, inputs, attributes, outputs))

    def constant(self, proto: Any) -> Any:
        """The tensor that a constant's proto holds."""
        return self.tensor(self.tensorflow.make_ndarray(proto), proto.dtype)

    def tensor(self, array: Any, dtype: Any = None) -> Any:
        return self.tensorflow.constant(array, dtype=dtype)

    def variable(self, value: Any, shape: Any = None) -> Any:
        """A resource variable that holds a tensor."""
        return self.tensorflow.Variable(value, trainable=False, shape=shape, dtype=value.dtype)

    def add_functions(self, library: Any) -> None:
        """Make functions known to the runtime, for ops that call them by themselves."""
        for function in library.function:
            name = function.signature.name
            if name not in self._functions:
                self._functions.add(name)
                if not self._context.has_function(name):
                    self._context.add_function_def(function)

    def array(self, tensor: Any) -> Any:
        """The values of a tensor without a copy where that is possible."""
        return tensor._numpy() if hasattr(tensor, "_numpy") else tensor.numpy()


def _width(argument: Any, attributes: Any) -> int:
    if argument.number_attr:
        return int(attributes[argument.number_attr].i)
    if argument.type_list_attr:
        return len(attributes[argument.type_list_attr].list.type)
    return 1


def _attribute(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "list":
        return _list(value.list)
    if kind == "shape":
        return _shape(value.shape)
    if kind == "func":
        return value.func.name
    if kind == "tensor":
        raise ReplayError("an op has a tensor as an attribute")
    if kind == "placeholder":
        raise ReplayError("a function with its own types is called")
    return getattr(value, kind) if kind is not None else []


def _list(value: Any) -> list[Any]:
    for field, items in value.ListFields():
        if field.name == "shape":
            return [_shape(item) for item in items]
        if field.name == "func":
            return [item.name for item in items]
        return list(items)
    return []


def _shape(shape: Any) -> list[int] | None:
    return None if shape.unknown_rank else [int(dim.size) for dim in shape.dim]


def all_finite(array: Any) -> bool:
    """Whether an array of floats or complex numbers has only finite elements."""
    import numpy

    if array.dtype.itemsize >= 4 and array.size > 64 and array.flags.c_contiguous:
        # A sum is the quickest look; only where it is not finite are all the elements asked.
        with numpy.errstate(all="ignore"):
            total = array.sum()
        if math.isfinite(total.real) and math.isfinite(total.imag):
            return True
    return bool(numpy.isfinite(array).all())


def cured(array: Any) -> Any:
    """An array with the mean of its finite elements in place of the others; 1 where it has none."""
    import numpy

    finite = numpy.isfinite(array)
    wide = array.astype(numpy.complex128 if array.dtype.kind == "c" else numpy.float64)
    with numpy.errstate(all="ignore"):
        mean = wide[finite].mean() if finite.any() else 1.0
        usual = numpy.asarray(mean).astype(array.dtype)
    if not numpy.isfinite(usual) or usual == 0:
        usual = numpy.asarray(1.0).astype(array.dtype)
    return numpy.where(finite, array, usual).astype(array.dtype)
