"""The arguments of a step as it is traced, and zeros in their place; runs in the user's process.

A tensor of known rows is traced with known rows, as the program's own call would be: TensorFlow rewrites a graph of
known sizes differently. Their number is one that can be told from all other sizes (`whydied.graph.marked_batch`).

Invariant: nothing is drawn from the program's iterators, and what stands for an argument takes no memory of the process
before it is written.
"""

from __future__ import annotations

import importlib
from typing import Any

from whydied.graph import marked_batch
from whydied.graph.op_table import Dims
from whydied.inside.preflight import data_pipeline


class Arguments:
    """`batch` is the number of rows that the program gives, None where only an iterator knows; `rows` the number that
    the step is traced with, and 0 where the trace leaves it open."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], tensorflow: Any, rows: int = 0) -> None:
        self._tensorflow = tensorflow
        self._structure = (args, kwargs)
        self.leaves: list[Any] = tensorflow.nest.flatten(self._structure)
        self.batch = _leading([shape for one in self.leaves if (shape := shape_of(one))])
        self._row_shapes = [shape[1:] for one in self.leaves for shape in self._shapes(one) if shape]
        self.rows = rows or marked_batch.choose(self._row_shapes)
        self.traced = [self._marked(one) for one in self.leaves]
        if not any(self._is_marked(*pair) for pair in zip(self.traced, self.leaves, strict=True)):
            self.rows = 0

    @staticmethod
    def _is_marked(traced: Any, leaf: Any) -> bool:
        return traced.batched if isinstance(traced, _Marked) else traced is not leaf

    def _shapes(self, leaf: Any) -> list[Dims | None]:
        if isinstance(leaf, self._tensorflow.data.Iterator):
            specs = self._tensorflow.nest.flatten(leaf.element_spec)
            return [tuple(one.shape) for one in specs if getattr(getattr(one, "shape", None), "rank", None)]
        return [shape_of(leaf)]

    def _marked(self, leaf: Any) -> Any:
        shape = shape_of(leaf)
        if shape is not None:
            dtype = self._tensorflow.dtypes.as_dtype(leaf.dtype)
            batched = bool(shape) and shape[0] == self.batch
            is_array = type(leaf).__name__ != "EagerTensor"
            traced = (self.rows, *shape[1:]) if batched else shape
            return _Marked(traced, shape, dtype, batched, is_array, self._tensorflow)
        if isinstance(leaf, self._tensorflow.data.Iterator):
            return self._marked_iterator(leaf)
        return leaf

    def _marked_iterator(self, iterator: Any) -> Any:
        """The iterator itself where it leaves the batch open, else one of the same types with the marked rows."""
        spec, tensorflow = iterator.element_spec, self._tensorflow
        flat = tensorflow.nest.flatten(spec)
        if not all(isinstance(one, tensorflow.TensorSpec) and one.shape.rank for one in flat):
            return iterator
        if all(one.shape[0] is None for one in flat):
            return iterator
        batch = _leading([tuple(one.shape) for one in flat])

        def marked(one: Any) -> Any:
            return tensorflow.TensorSpec((self.rows, *one.shape[1:]), one.dtype) if one.shape[0] == batch else one

        signature = tensorflow.nest.map_structure(marked, spec)
        return iter(tensorflow.data.Dataset.from_generator(lambda: iter(()), output_signature=signature))

    def fix(self) -> None:
        """Take the program's own sizes: the step cannot be traced with others."""
        self.traced = [
            _Marked(one.own, one.own, one.dtype, False, one.is_array, self._tensorflow)
            if isinstance(one, _Marked)
            else leaf
            for one, leaf in zip(self.traced, self.leaves, strict=True)
        ]
        self.rows = 0

    def with_rows(self, rows: int) -> Arguments:
        args, kwargs = self._structure
        return Arguments(args, kwargs, self._tensorflow, rows)

    def with_other_rows(self) -> Arguments:
        """With marked rows again, but others."""
        return self.with_rows(marked_batch.choose(self._row_shapes, self.rows))

    def specs(self) -> tuple[Any, Any]:
        return self._packed([one.spec if isinstance(one, _Marked) else one for one in self.traced])

    def untouched(self) -> tuple[Any, Any]:
        """What a call of the traced function takes, which does not look at it."""
        return self._packed([one.untouched() if isinstance(one, _Marked) else one for one in self.traced])

    def drawn(self, rows: int) -> tuple[Any, Any]:
        """The same for a call that runs: iterators give zeros, of so many rows where they leave that open."""
        return self._packed([self._drawn(*pair, rows) for pair in zip(self.traced, self.leaves, strict=True)])

    def _drawn(self, one: Any, leaf: Any, rows: int) -> Any:
        if isinstance(one, self._tensorflow.data.Iterator):
            return self._iterator_of_zeros(one.element_spec, rows, data_pipeline.of_iterator(leaf).ready)
        return one.zeros() if isinstance(one, _Marked) else one

    def _iterator_of_zeros(self, spec: Any, rows: int, ready: int) -> Any:
        tensorflow = self._tensorflow

        def zeros(one: Any) -> Any:
            leading = rows if one.shape[0] is None else one.shape[0]
            return tensorflow.zeros([leading, *(extent or 1 for extent in one.shape[1:])], one.dtype)

        drawn = tensorflow.nest.map_structure(zeros, spec)

        def rows_of_zeros() -> Any:
            while True:
                yield drawn

        made = tensorflow.data.Dataset.from_generator(rows_of_zeros, output_signature=spec)
        # As many batches as the program's own pipeline has alive: one is drawn, one is what is drawn from.
        return iter(made.prefetch(ready - 2) if ready > 2 else made)

    def _packed(self, given: list[Any]) -> tuple[Any, Any]:
        args, kwargs = self._tensorflow.nest.pack_sequence_as(self._structure, given)
        return args, kwargs


class _Marked:
    """A tensor among the arguments, or an array: `own` is the program's shape."""

    def __init__(
        self, shape: tuple[int, ...], own: tuple[int, ...], dtype: Any, batched: bool, is_array: bool, tensorflow: Any
    ) -> None:
        self._tensorflow = tensorflow
        self.is_array = is_array
        self.own = own
        self.dtype = dtype
        self.batched = batched
        self.spec = tensorflow.TensorSpec(shape, dtype)

    def zeros(self) -> Any:
        if self.dtype == self._tensorflow.string:
            return self.untouched()
        if self.is_array:
            import numpy

            # Written to, because the program's own rows have memory too.
            return numpy.full(tuple(self.spec.shape), 0, self.dtype.as_numpy_dtype)
        return self._tensorflow.zeros(self.spec.shape, self.dtype)

    def untouched(self) -> Any:
        shape = tuple(self.spec.shape)
        if self.dtype == self._tensorflow.string:
            return self._tensorflow.fill(shape, "")
        empty: Any = importlib.import_module("tensorflow.python.ops.gen_array_ops").empty
        return empty(self._tensorflow.constant(shape, self._tensorflow.int32), self.dtype, init=False)


def shape_of(leaf: Any) -> tuple[int, ...] | None:
    """Of an array or an eager tensor."""
    if type(leaf).__name__ in ("EagerTensor", "ndarray") or hasattr(leaf, "__array_interface__"):
        return tuple(int(extent) for extent in leaf.shape)
    return None


def _leading(shapes: list[Any]) -> int | None:
    """The first size of the largest argument of the highest rank."""

    def order(shape: Any) -> tuple[int, int]:
        count = 1
        for extent in shape:
            count *= extent or 1
        return len(shape), count

    largest = max(shapes, key=order, default=())
    return largest[0] if largest else None
