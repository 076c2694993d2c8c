"""The step of a Keras call that failed, traced again with its data in another form or with another loss; runs in the
user's process, and the traces in a copy of it.

A trace asks TensorFlow and Keras themselves whether shapes and types go together, layers, loss and metrics alike, and
computes nothing. It stands for the step as far as that: what fails over a value is not told by it.

Invariant: the call is not made again. Data are known by shape and type, labels also by their smallest and largest.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from whydied.inside.errors.framework.keras_context import CALLS
from whydied.inside.errors.framework.value_sources import is_layer
from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest.value_facts import describe
from whydied.inside.trials import keras_data
from whydied.inside.trials.keras_data import Packing

LARGEST_LABELS = 5_000_000
_STEPS = {"predict": "predict_step", "predict_on_batch": "predict_step"}
_CROSSENTROPIES = ("sparse_categorical_crossentropy", "categorical_crossentropy", "binary_crossentropy")


class Data(NamedTuple):
    """What a call was given: the model, what its step takes (arrays by shape and type; None for `x` where Keras makes
    no tensors of it), the values themselves, and the expressions, None where the call has them from a collection."""

    model: Any
    method: str
    x: Any
    y: Any
    given: tuple[Any, Any]
    x_node: ast.expr | None
    y_node: ast.expr | None
    labels: tuple[int, int] | None
    """The smallest and the largest whole number among the targets."""


class StepForm(NamedTuple):
    """`role` is "x", "y" or "loss"; `text` has `{}` for the expression, or is the name of the loss; `change` does the
    same to a symbolic tensor. Of "data", `packing` has the texts and makes the values."""

    role: str
    text: str
    cost: float
    change: Callable[[Any], Any] | None = None
    packing: Packing | None = None


def data_of(node: ast.AST, steps: list[Step]) -> Data | None:
    """The call of a model at which the user's line failed; `steps` begin with that line's."""
    method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    given = _given(steps) if method in CALLS else None
    tensorflow: Any = sys.modules.get("tensorflow")
    traces = "tensorflow.python.framework.func_graph" in sys.modules
    if given is None or tensorflow is None or not traces or not isinstance(node, ast.Call):
        return None
    model, x, y = given
    words = {word.arg: word.value for word in node.keywords}
    nodes = [one for one in node.args if not isinstance(one, ast.Starred)]
    x_node = words.get("x") or (nodes[0] if nodes else None)
    y_node = words.get("y") or (nodes[1] if len(nodes) > 1 else None)
    spread = any(word.arg is None for word in node.keywords) or any(isinstance(one, ast.Starred) for one in node.args)
    if x_node is None and not spread:
        return None
    x_spec, y_spec = _specs(x, y)
    return Data(model, method, x_spec, y_spec, (x, y), x_node, y_node, _labels(y))


def _given(steps: list[Step]) -> tuple[Any, Any, Any] | None:
    """Model and data from the frames of Keras: its own, or that of the wrapper that shortens tracebacks."""
    for step in steps[1:]:
        if step.file is not None:
            return None
        args, words = step.names.get("args"), step.names.get("kwargs")
        if step.frame.f_code.co_name == "error_handler" and type(args) is tuple and type(words) is dict and args:
            x = args[1] if len(args) > 1 else words.get("x")
            y = args[2] if len(args) > 2 else words.get("y")
            return (args[0], x, y) if is_layer(args[0]) else None
        if step.frame.f_code.co_name in CALLS and is_layer(step.names.get("self")):
            return step.names["self"], step.names.get("x"), step.names.get("y")
    return None


def _specs(x: Any, y: Any) -> tuple[Any, Any]:
    """Of both, or nothing."""
    tensorflow: Any = sys.modules["tensorflow"]
    x_spec, y_spec = _spec(tensorflow, x), _spec(tensorflow, y)
    return (None, None) if y is not None and y_spec is None else (x_spec, y_spec)


def _spec(tensorflow: Any, value: Any) -> Any:
    """As `fit` makes tensors of it: rows of any number, floats of Keras' own width. None for what is not arrays."""
    if type(value) in (list, tuple) and value and all(describe(one).shape is not None for one in value):
        parts = [_spec(tensorflow, one) for one in value]
        return None if any(part is None for part in parts) else type(value)(parts)
    if type(value) is dict and value:
        named = {key: _spec(tensorflow, one) for key, one in value.items()}
        return None if any(part is None for part in named.values()) else named
    facts = describe(value)
    if not facts.shape or facts.dtype is None:
        return None
    kind = "float32" if facts.dtype in ("float64", "float16") else facts.dtype
    if kind not in ("float32", "int32", "int64", "uint8", "int8", "int16", "bool", "string"):
        return None
    return tensorflow.TensorSpec([None, *facts.shape[1:]], kind)


def _labels(value: Any) -> tuple[int, int] | None:
    facts = describe(value)
    whole = facts.dtype is not None and facts.dtype.startswith(("int", "uint"))
    if not whole or type(value).__module__ != "numpy" or not 0 < value.size <= LARGEST_LABELS:
        return None
    return int(value.min()), int(value.max())


def control(data: Data, kind: type[BaseException]) -> Callable[[], str]:
    """Where it fails again as the call did: "data" where Keras does not take them, "forward" in the trace of the
    forward pass, "step" in what follows it, else empty."""

    def ask() -> str:
        try:
            keras_data.adapted(data.model, *keras_data.shortened(*data.given))
        except kind:
            return "data"
        if data.x is None:
            return ""
        for part in ("forward", "step"):
            try:
                _traced(data, StepForm("", "", 0.0), forward=part == "forward")
            except kind:
                return part
        return ""

    return ask


def question(data: Data, form: StepForm) -> Callable[[], str]:
    def ask() -> str:
        if form.role == "loss":
            data.model.compile(optimizer="sgd", loss=form.text)
        packed = data if form.packing is None else _packed(data, form.packing)
        _traced(packed, form)
        return "traced"

    return ask


def _packed(data: Data, packing: Packing) -> Data:
    """The data in other containers, as far as Keras takes them."""
    x, y = packing.of(*keras_data.shortened(*data.given))
    keras_data.adapted(data.model, x, y)
    x_spec, y_spec = _specs(x, y)
    if x_spec is None:
        raise TypeError
    return data._replace(x=x_spec, y=y_spec)


def _traced(data: Data, form: StepForm, forward: bool = False) -> None:
    graphs: Any = sys.modules["tensorflow.python.framework.func_graph"]
    change = form.change

    def step(x: Any, y: Any) -> Any:
        if change is not None and form.role == "x":
            x = change(x)
        if change is not None and form.role == "y":
            y = change(y)
        if forward:
            return data.model(x)
        if data.method in _STEPS:
            return data.model.predict_step((x,))
        return data.model.test_step((x, y) if y is not None else (x,))

    # Not a tf.function, which runs the initializers of the variables that are made in it.
    graphs.func_graph_from_py_func("step", step, (data.x, data.y), {})


def forms_of(data: Data, side: str, names: dict[str, str]) -> Iterator[StepForm]:
    """What may be meant: of the data where Keras does not take them, of the input where the forward pass fails, else of
    the targets and the loss. `names` are those under which the program has NumPy and TensorFlow."""
    if side in ("data", "forward") or data.given[1] is None:
        inputs, outputs = (_count(data.model, which) for which in ("inputs", "outputs"))
        for one in keras_data.packings(*data.given, inputs, outputs, names):
            yield StepForm("data", "", one.cost, packing=one)
    if side == "data":
        return
    if side == "forward":
        if _is_tensor(data.x):
            yield from _of_input(data.x, _rows(data.given[1]))
        return
    if data.y is None or not _is_tensor(data.y):
        return
    classes = _classes(data.model)
    yield from _losses(data, classes)
    yield from _of_targets(data.y, classes, data.labels)


def _count(model: Any, which: str) -> int | None:
    ends = getattr(model, which, None)
    return len(ends) if isinstance(ends, list | tuple) else None


def _is_tensor(spec: Any) -> bool:
    return type(spec).__name__ == "TensorSpec"


def _classes(model: Any) -> int | None:
    outputs = getattr(model, "outputs", None)
    last = outputs[0].shape[-1] if isinstance(outputs, list | tuple) and len(outputs) == 1 else None
    return int(last) if last is not None else None


def _losses(data: Data, classes: int | None) -> Iterator[StepForm]:
    rank = len(data.y.shape)
    fits = data.labels is not None and classes is not None and data.labels[0] >= 0
    if fits and data.labels is not None and classes is not None and classes > 1 and data.labels[1] < classes:
        yield StepForm("loss", _CROSSENTROPIES[0], 1.0)
    if classes is not None and classes > 1 and rank > 1 and data.y.shape[-1] == classes:
        yield StepForm("loss", _CROSSENTROPIES[1], 1.0)
    if fits and classes == 1 and data.labels is not None and data.labels[1] <= 1:
        yield StepForm("loss", _CROSSENTROPIES[2], 1.0)


def _of_targets(spec: Any, classes: int | None, labels: tuple[int, int] | None) -> Iterator[StepForm]:
    tensorflow: Any = sys.modules["tensorflow"]
    shape = list(spec.shape)
    yield StepForm("y", "{}[..., None]", 1.1, lambda y: y[..., None])
    if len(shape) > 1 and shape[-1] == 1:
        yield StepForm("y", "{}[..., 0]", 1.1, lambda y: y[..., 0])
    if len(shape) > 1 and classes is not None and shape[-1] == classes > 1:
        yield StepForm("y", "{}.argmax(axis=-1)", 1.2, lambda y: tensorflow.argmax(y, -1))
    if classes is not None and classes > 1 and labels is not None and labels[0] >= 0 and labels[1] < classes:
        text = f"tf.one_hot({{}}, {classes})"
        yield StepForm("y", text, 1.3, lambda y: tensorflow.one_hot(tensorflow.cast(y, "int32"), classes))
    if not spec.dtype.is_floating and spec.dtype != tensorflow.string:
        yield StepForm("y", '{}.astype("float32")', 1.2, lambda y: tensorflow.cast(y, "float32"))


def _rows(value: Any) -> int | None:
    shape = describe(value).shape
    return shape[0] if shape else None


def _of_input(spec: Any, targets: int | None) -> Iterator[StepForm]:
    """`targets` is how many rows those have: the rows of an array that each have one are no single sample."""
    tensorflow: Any = sys.modules["tensorflow"]
    shape = list(spec.shape)
    if not spec.dtype.is_floating and spec.dtype != tensorflow.string:
        yield StepForm("x", '{}.astype("float32")', 1.1, lambda x: tensorflow.cast(x, "float32"))
    yield StepForm("x", "{}[..., None]", 1.1, lambda x: x[..., None])
    if len(shape) > 1 and shape[-1] == 1:
        yield StepForm("x", "{}[..., 0]", 1.2, lambda x: x[..., 0])
    if len(shape) > 2:
        yield StepForm("x", "{}.reshape(len({}), -1)", 1.2, lambda x: tensorflow.reshape(x, [-1, _size(shape)]))
    orders: dict[int, list[tuple[int, ...]]] = {3: [(0, 2, 1)], 4: [(0, 2, 3, 1), (0, 3, 1, 2)]}
    for order in orders.get(len(shape), []):
        yield StepForm("x", f"{{}}.transpose{order}", 1.3, _transposed(order))
    if targets in (None, 1):
        yield StepForm("x", "{}[None]", 1.4, lambda x: x[None])


def _transposed(order: tuple[int, ...]) -> Callable[[Any], Any]:
    return lambda x: sys.modules["tensorflow"].transpose(x, order)


def _size(shape: list[int | None]) -> int:
    whole = 1
    for size in shape[1:]:
        whole *= size or -1
    return whole
