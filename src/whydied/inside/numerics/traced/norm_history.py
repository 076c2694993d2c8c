"""What a watched step leaves in each round: its number and the norms of the last steps; runs in the user's process.

Two variables of TensorFlow's, reached from a graph by name, so that the graph captures nothing: the number of steps,
and a row of norms for each of the last `ROWS` steps.

Invariant: they are of no graph and no object of the program's, and are gone when the last graph that uses them
is.
"""

from __future__ import annotations

import itertools
import os
from typing import Any

from whydied.inside.numerics import hidden_ops

ROWS = 64
_numbers = itertools.count()
_left: list[list[Any]] = []


class Ring:
    """Made outside of all graphs."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._name = f"whydied_{os.getpid()}_{next(_numbers)}"
        self._pid = os.getpid()
        tf = hidden_ops.tensorflow()
        with hidden_ops.eagerly():
            _destroy_left(tf)
            zeros = {
                "steps": (tf.int64, tf.zeros([], tf.int64)),
                "norms": (tf.float32, tf.zeros([ROWS, width], tf.float32)),
            }
            self._handles = {name: self._handle(name, dtype, value.shape) for name, (dtype, value) in zeros.items()}
            for name, (_, value) in zeros.items():
                tf.raw_ops.AssignVariableOp(resource=self._handles[name], value=value)

    def in_graph(self, name: str) -> Any:
        """The handle of a variable, as a node of the current graph."""
        tf = hidden_ops.tensorflow()
        dtype = {"steps": tf.int64, "norms": tf.float32}[name]
        shape = {"steps": [], "norms": [ROWS, self.width]}[name]
        return self._handle(name, dtype, shape)

    def read(self) -> tuple[int, Any]:
        """The number of steps so far, and the rows of the last ones in their order."""
        import numpy

        tf = hidden_ops.tensorflow()
        with hidden_ops.eagerly():
            steps = int(tf.raw_ops.ReadVariableOp(resource=self._handles["steps"], dtype=tf.int64).numpy())
            rows = tf.raw_ops.ReadVariableOp(resource=self._handles["norms"], dtype=tf.float32).numpy()
        if steps <= ROWS:
            return steps, rows[:steps]
        return steps, numpy.roll(rows, -(steps % ROWS), axis=0)

    def _handle(self, name: str, dtype: Any, shape: Any) -> Any:
        tf = hidden_ops.tensorflow()
        return tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=f"{self._name}_{name}", container="")

    def __del__(self) -> None:
        # Not here: a finaliser runs at any moment and in any thread.
        if self._pid == os.getpid() and len(_left) < 10_000:
            _left.append(list(getattr(self, "_handles", {}).values()))


def _destroy_left(tf: Any) -> None:
    while _left:
        for handle in _left.pop():
            tf.raw_ops.DestroyResourceOp(resource=handle, ignore_lookup_error=True)
