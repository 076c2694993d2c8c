"""Gradient accumulation: `whydied.accumulate`; runs in the user's process, with or without a recording.

Invariant: after each window of `steps` steps the optimizer makes one update with the mean of the window's
gradients, the one that a single batch of all its rows would give where the loss is a mean over rows and the batches are
of one size; then the sums start at zero. Between, the weights stand still. The optimizer sees nothing but its updates:
schedules, Adam's correction, averages and decay count these. A sparse gradient stays sparse, with the rows of the
whole window, because optimizers treat rows without a gradient otherwise than rows whose gradient is zero.

Keras's own `gradient_accumulation_steps` is used with other backends. It moves schedules at each step, and makes sparse
gradients dense. Under a `tf.distribute` strategy neither works: an update inside a condition cannot reach the replicas.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import Any, NamedTuple, TypeVar

from whydied.errors import UsageError

_O = TypeVar("_O")


def accumulate(optimizer: _O, steps: int) -> _O:
    """The same optimizer, updating once in `steps` steps with the mean of their gradients.

    It gets a method `flush()` that makes the update of a window that is not full, with the mean of what is there, and
    starts a new one. Without it, a window goes on into the next epoch, and one that the end of training cuts off is
    lost.
    """
    if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
        raise ValueError(f"steps must be an integer of at least 1, not {steps!r}")
    tf: Any = sys.modules.get("tensorflow")
    if tf is not None and tf.distribute.has_strategy():
        raise _under_strategy()
    inner: Any = optimizer
    while getattr(inner, "inner_optimizer", None) is not None:
        # The loss scale is taken off before the inner optimizer sees a gradient.
        inner = inner.inner_optimizer
    _require_unused(inner)
    optimizer.flush = _flush_of(inner, steps)  # type: ignore[attr-defined]
    return optimizer


def _flush_of(optimizer: Any, steps: int) -> Any:
    """Make an optimizer accumulate; returns its method `flush`."""
    if steps == 1:
        return functools.partial(_nothing, optimizer)
    if hasattr(optimizer, "gradient_accumulation_steps") and not _is_of_tensorflow():
        optimizer.gradient_accumulation_steps = steps
        return functools.partial(_flush, optimizer)
    if hasattr(optimizer, "apply") and hasattr(optimizer, "_backend_apply_gradients"):
        window = _Window(optimizer, steps, optimizer.apply)
        optimizer.apply = window.apply
        return window.flush
    if hasattr(optimizer, "apply_gradients") and hasattr(optimizer, "iterations"):
        window = _Window(optimizer, steps, functools.partial(_apply_pairs, optimizer.apply_gradients))
        optimizer.apply_gradients = functools.partial(_pairs_applied, window, optimizer)
        return window.flush
    raise UsageError(
        f"{type(optimizer).__name__} is not an optimizer that whydied.accumulate supports", "pass a Keras optimizer"
    )


def _is_of_tensorflow() -> bool:
    """Whether TensorFlow is Keras's backend."""
    keras: Any = sys.modules.get("keras")
    backend = getattr(getattr(keras, "backend", None), "backend", None)
    return backend is None or backend() == "tensorflow"


def _under_strategy() -> UsageError:
    return UsageError(
        "whydied.accumulate does not work under a tf.distribute strategy", "use a larger batch, or more replicas"
    )


def _require_unused(optimizer: Any) -> None:
    built = getattr(optimizer, "built", None)
    if built if built is not None else getattr(optimizer, "_built", False):
        raise UsageError(
            f"{type(optimizer).__name__} has already created its variables",
            "call whydied.accumulate before the first step, and before you compile a model with it",
        )


def _nothing(optimizer: Any) -> None:
    """A window of one step is always full."""


def _flush(optimizer: Any) -> None:
    """The partial window of Keras's own accumulation. Keras divides by the length of a whole window, and adds the
    gradient that it is given: it is given what makes the sum right."""
    steps = optimizer.gradient_accumulation_steps
    taken = int(optimizer._iterations.numpy()) if optimizer.built else 0
    there = taken % steps
    if there == 0:
        return
    scale = optimizer.loss_scale_factor or 1.0
    sums = [total.value for total in optimizer._accumulated_gradients]
    optimizer._iterations.assign(taken - there + steps - 1)
    optimizer.apply([total * ((steps / there - 1) * scale) for total in sums], optimizer._trainable_variables)


def _apply_pairs(original: Any, gradients: Any, variables: Any, **words: Any) -> Any:
    return original(list(zip(gradients, variables, strict=True)), **words)


def _pairs_applied(window: _Window, optimizer: Any, grads_and_vars: Any, name: str | None = None, **words: Any) -> Any:
    """`apply_gradients` of Keras 2."""
    gradients, variables = zip(*grads_and_vars, strict=True)
    window.apply(gradients, variables, **({"name": name} if name else {}), **words)
    return optimizer.iterations


class _Sum(NamedTuple):
    """The sum of a variable's gradients, and which of its rows a sparse one has touched."""

    variable: Any
    total: Any
    touched: Any


class _Window:
    """The steps since the last update. Its variables are made at the first step, beside the optimizer's own."""

    def __init__(self, optimizer: Any, steps: int, original: Any) -> None:
        self._optimizer = optimizer
        self._steps = steps
        self._original = original
        self._sums: dict[int, _Sum] = {}
        self._there: Any = None
        self._sparse: set[int] = set()

    def apply(self, grads: Any, trainable_variables: Any = None, **words: Any) -> None:
        tf: Any = sys.modules["tensorflow"]
        if tf.distribute.has_strategy():
            raise _under_strategy()
        variables = list(trainable_variables or self._optimizer._trainable_variables)
        pairs = [(one, variable) for one, variable in zip(grads, variables, strict=True) if one is not None]
        if not pairs:
            self._original(grads, variables, **words)
            return
        with tf.init_scope():
            self._build(tf, variables)
        sums = [self._sums[id(variable)] for _, variable in pairs]
        added = [_add(tf, total, gradient) for total, (gradient, _) in zip(sums, pairs, strict=True)]
        self._sparse |= {id(variable) for gradient, variable in pairs if isinstance(gradient, tf.IndexedSlices)}
        with tf.control_dependencies(added):
            there = self._there.assign_add(1)

        def update() -> Any:
            self._update(tf, sums, self._steps, **words)
            return tf.constant(True)

        tf.cond(there >= self._steps, update, lambda: tf.constant(False))

    def flush(self) -> None:
        tf: Any = sys.modules["tensorflow"]
        there = int(self._there.numpy()) if self._there is not None else 0
        if there:
            self._update(tf, list(self._sums.values()), there)

    def _update(self, tf: Any, sums: list[_Sum], steps: int, **words: Any) -> None:
        means = [_mean(tf, one, steps, id(one.variable) in self._sparse) for one in sums]
        self._original(means, [one.variable for one in sums], **words)
        self._there.assign(0)
        for one in sums:
            one.total.assign(tf.zeros_like(one.total))
            one.touched.assign(tf.zeros_like(one.touched))

    def _build(self, tf: Any, variables: list[Any]) -> None:
        """Before the branch that updates: no variable can be made inside it."""
        if self._there is None:
            self._there = tf.Variable(0, dtype=tf.int64, trainable=False, name="gradients_there")
        for variable in variables:
            if id(variable) not in self._sums:
                rows = variable.shape[:1] if len(variable.shape) else [1]
                self._sums[id(variable)] = _Sum(
                    variable,
                    tf.Variable(tf.zeros(variable.shape, variable.dtype), trainable=False, name="gradient_sum"),
                    tf.Variable(tf.zeros(rows, tf.bool), trainable=False, name="rows_touched"),
                )
        optimizer = self._optimizer
        if getattr(optimizer, "built", None) is True:
            return
        with _scope(optimizer):
            (getattr(optimizer, "build", None) or optimizer._create_all_weights)(variables)


def _scope(optimizer: Any) -> Any:
    """The scope in which Keras 3 makes an optimizer's variables, for their names."""
    scope = getattr(sys.modules.get("keras"), "name_scope", None)
    if scope is None or not hasattr(optimizer, "_backend_apply_gradients"):
        return contextlib.nullcontext()
    return scope(optimizer.name, caller=optimizer)


def _add(tf: Any, one: _Sum, gradient: Any) -> Any:
    """Add a gradient to its sum. Returns what must have run before the sum is read."""
    if not isinstance(gradient, tf.IndexedSlices):
        return one.total.assign_add(tf.cast(tf.convert_to_tensor(gradient), one.total.dtype), read_value=True)
    rows = tf.convert_to_tensor(gradient.indices)
    marked = tf.tensor_scatter_nd_update(one.touched, rows[:, None], tf.ones_like(rows, tf.bool))
    touched = one.touched.assign(marked, read_value=True)
    values = tf.cast(gradient.values, one.total.dtype)
    total = one.total.scatter_add(tf.IndexedSlices(values, rows))
    with tf.control_dependencies([touched]):
        return tf.identity(total)


def _mean(tf: Any, one: _Sum, steps: int, sparse: bool) -> Any:
    if not sparse:
        return one.total / tf.cast(steps, one.total.dtype)
    rows = tf.where(one.touched)[:, 0]
    values = tf.gather(one.total, rows) / tf.cast(steps, one.total.dtype)
    return tf.IndexedSlices(values, rows, tf.shape(one.total, out_type=rows.dtype))
