"""Builds captures of small real steps and replays them, all in one process: `replay_scenarios.py DIRECTORY [NAME…]`.

A scenario is a function that returns a `Step`: a tf.function whose result is a dict of named values ("loss",
"gradient of w"), and its arguments. The capture is made from its ConcreteFunction, with the values before the step.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import keras
import msgspec
import numpy as np
import tensorflow as tf

from whydied.inside import capture_file
from whydied.inside.replay import report
from whydied.records import Capture, FedValue, Frame, Lines, NodeLine, StateValue, Suspect

Array = Any


class Step(NamedTuple):
    """`function` is called with `arguments`, whose names are the users' names; `rows` are those of the data set."""

    function: Callable[..., dict[str, Any]]
    arguments: dict[str, Array]
    layers: tuple[str, ...] = ()
    names: dict[int, str] | None = None
    rows: dict[str, list[int]] | None = None


class Writer:
    """The directory of one capture."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True)
        self.path = path
        self.directory = capture_file.CaptureDirectory(str(path), path.name, 1 << 28)

    def fed(self, tensor: Any, name: str, value: Array, rows: list[int]) -> FedValue:
        file, _ = self.directory.array(name, value)
        dtype = tensor.dtype.name
        return FedValue(
            tensor=tensor.name,
            name=name,
            role="batch",
            shape=list(value.shape),
            dtype=dtype,
            file=file,
            rows=rows,
            data_set="x" if rows else "",
        )

    def state(self, node: str, name: str, value: Array) -> StateValue:
        file, _ = self.directory.array(name, value)
        dtype = tf.as_dtype(value.dtype).name
        return StateValue(node=node, name=name, role="weight", shape=list(value.shape), dtype=dtype, file=file)


def build(step: Step, path: Path) -> None:
    """Write the capture of a step, with the values as they are now."""
    writer = Writer(path)
    arguments = [tf.constant(value) for value in step.arguments.values()]
    function = step.function.get_concrete_function(*arguments)
    graph = function.graph
    inputs = graph.inputs[: len(arguments)]
    fed = [
        writer.fed(tensor, name, np.asarray(value), (step.rows or {}).get(name, []))
        for tensor, (name, value) in zip(inputs, step.arguments.items(), strict=True)
    ]
    state = _state(writer, graph, step)
    targets = {name: _target(graph, tensor) for name, tensor in function.structured_outputs.items()}
    suspects = []
    for name, value in step.function(*arguments).items():
        numbers = capture_file.numbers_of(value.numpy())
        if numbers.nonfinite:
            short = name.partition(" of ")[2] or name
            suspects.append(Suspect(role=name.split()[0], name=short, tensor=targets[name], numbers=numbers))
    writer.directory.graph(graph.as_graph_def())
    writer.directory.lines(_lines(graph, step.layers))
    writer.directory.finish(
        Capture(kind="traced", suspects=suspects, fed=fed, state=state, targets=list(targets.values()))
    )


def _state(writer: Writer, graph: Any, step: Step) -> list[StateValue]:
    variables = {id(variable.handle): variable for variable in graph.variables}
    found = []
    for outer, inner in graph.captures:
        variable = variables.get(id(outer))
        if variable is not None:
            name = (step.names or {}).get(id(variable), variable.name.partition(":")[0])
            found.append(writer.state(inner.op.name, name, variable.numpy()))
    return found


def _target(graph: Any, tensor: Any) -> str:
    """The tensor itself, and not the Identity that waits for all that the function does."""
    output = next(one for one in graph.outputs if one.name == tensor.name) if tensor.graph is graph else tensor
    return output.op.inputs[0].name if output.op.type == "Identity" else output.name


def _lines(graph: Any, layers: tuple[str, ...]) -> Lines:
    functions = {"": _graph_lines(graph, layers)}
    for name, inner in _inner_graphs(graph):
        functions[name] = _graph_lines(inner, layers)
    return Lines(functions=functions)


def _inner_graphs(graph: Any) -> list[tuple[str, Any]]:
    names = [definition.signature.name for definition in graph.as_graph_def().library.function]
    found = [(name, getattr(graph._get_function(name), "graph", None)) for name in names]
    return [(name, inner) for name, inner in found if inner is not None]


def _graph_lines(graph: Any, layers: tuple[str, ...]) -> dict[str, NodeLine]:
    found = {}
    for op in graph.get_operations():
        frames = [
            Frame(file=frame.filename, line=frame.lineno, function=frame.name, user=True)
            for frame in op.traceback or ()
            if frame.filename == __file__ and not frame.name.startswith(("build", "main", "<module>"))
        ]
        parts = [re.sub(r"_\d+$", "", part) for part in op.name.split("/")]
        layer = next((layer for layer in reversed(layers) if layer in parts), "")
        found[op.name] = NodeLine(frames=frames, layer=layer)
    return found


SCENARIOS: dict[str, Callable[[], Step]] = {}


def scenario(function: Callable[[], Step]) -> Callable[[], Step]:
    SCENARIOS[function.__name__] = function
    return function


def rng() -> Any:
    return np.random.default_rng(7)


def positive(rows: int = 8, columns: int = 4) -> Array:
    return rng().uniform(0.5, 1.5, (rows, columns)).astype("float32")


def trained(loss_of: Callable[..., Any], arguments: dict[str, Array], w: Any, **more: Any) -> Step:
    """A step that computes a loss of the arguments and its gradient by `w`, and applies it."""

    @tf.function
    def step(*values: Any) -> dict[str, Any]:
        with tf.GradientTape() as tape:
            loss = loss_of(*values)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
        return {"loss": loss, "gradient of w": gradient}

    return Step(step, arguments, names={id(w): "w"}, **more)


def ones(*shape: int) -> Any:
    return tf.Variable(tf.ones(shape))


@scenario
def log_of_zero() -> Step:
    x = positive()
    x[3, 2] = 0.0
    w = ones(4)
    return trained(
        lambda x: tf.reduce_mean(tf.math.log(x) * w),  # <- log
        {"x": x},
        w,
        rows={"x": [100 + row for row in range(8)]},
    )


@scenario
def sqrt_of_negative() -> Step:
    x = positive()
    x[5, 1] = -2.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.sqrt(x) * w), {"x": x}, w)


@scenario
def zero_by_zero() -> Step:
    x = positive()
    x[2] = 0.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(x / tf.reduce_sum(x, -1, keepdims=True) * w), {"x": x}, w)


@scenario
def divided_by_zero() -> Step:
    x, y = positive(), positive()
    y[6, 3] = 0.0
    w = ones(4)
    return trained(lambda x, y: tf.reduce_mean(x / y * w), {"x": x, "y": y}, w)


@scenario
def pow_of_negative() -> Step:
    x = positive()
    x[1, 0] = -1.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.pow(x, 0.5) * w), {"x": x}, w)


@scenario
def exp_overflow() -> Step:
    x = positive()
    x[4, 2] = 120.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.exp(x * w)), {"x": x}, w)


@scenario
def acos_of_two() -> Step:
    x = positive() / 2
    x[7, 1] = 2.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.acos(x) * w), {"x": x}, w)


@scenario
def norm_at_zero() -> Step:
    x = positive()
    x[3] = 0.0
    w = ones(4, 2)
    return trained(
        lambda x: tf.reduce_mean(tf.norm(x @ w, axis=-1)),  # <- norm
        {"x": x},
        w,
    )


@scenario
def where_with_division() -> Step:
    x = positive()
    x[2, 1] = 0.0
    w = ones(4)

    def loss(x: Any) -> Any:
        y = x * w
        safe = tf.where(y > 0.0, 1.0 / y, tf.zeros_like(y))  # <- division
        return tf.reduce_mean(safe)

    return trained(loss, {"x": x}, w)


@scenario
def where_with_sqrt() -> Step:
    x = positive()
    x[2, 1] = -1.0
    w = ones(4)

    def loss(x: Any) -> Any:
        y = x * w
        return tf.reduce_mean(tf.where(y > 0.0, tf.sqrt(y), tf.zeros_like(y)))

    return trained(loss, {"x": x}, w)


@scenario
def where_with_log() -> Step:
    x = positive()
    x[6, 3] = 0.0
    w = ones(4)

    def loss(x: Any) -> Any:
        y = x * w
        return tf.reduce_mean(tf.where(y > 0.0, tf.math.log(y), tf.zeros_like(y)))  # <- log in where

    return trained(loss, {"x": x}, w)


@scenario
def masked_labels_squared() -> Step:
    x, y = positive(), positive(8, 1)
    y[5, 0] = np.nan
    w = ones(4, 1)

    def loss(x: Any, y: Any) -> Any:
        error = tf.square(y - x @ w)
        return tf.reduce_mean(tf.where(tf.math.is_nan(y), tf.zeros_like(error), error))

    return trained(loss, {"x": x, "y": y}, w)


@scenario
def half_overflow() -> Step:
    x = positive().astype("float16")
    x[4] = 900.0
    w = tf.Variable(tf.fill((4, 2), tf.constant(30.0, tf.float16)))
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": x}, w)


@scenario
def cast_overflow() -> Step:
    x = positive()
    x[:] = 1e6
    w = tf.Variable(tf.ones((4,), tf.float16))
    return trained(lambda x: tf.reduce_mean(tf.cast(x, tf.float16) * w), {"x": x}, w)


@scenario
def nan_row() -> Step:
    x = positive()
    x[3] = np.nan
    w = ones(4, 2)
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": x}, w, rows={"x": list(range(50, 58))})


@scenario
def inf_value() -> Step:
    x = positive()
    x[1, 2] = np.inf
    w = ones(4, 2)
    return trained(lambda x: tf.reduce_mean(tf.square(x @ w)), {"x": x}, w)


@scenario
def nan_column() -> Step:
    x = positive()
    x[:, 2] = np.nan
    w = ones(4, 2)
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": x}, w)


@scenario
def nan_weight() -> Step:
    w = tf.Variable(np.array([[1.0, np.nan], [1, 1], [1, 1], [1, 1]], "float32"))
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": positive()}, w)


@scenario
def exploded_weight() -> Step:
    w = tf.Variable(tf.fill((4, 2), 3e7))
    return trained(lambda x: tf.reduce_mean(tf.exp(x @ w)), {"x": positive()}, w)


@scenario
def zero_scale_weight() -> Step:
    w = tf.Variable(tf.zeros((4,)))
    return trained(lambda x: tf.reduce_mean(x / w), {"x": positive()}, w)


@scenario
def inf_constant() -> Step:
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(x * w + np.inf), {"x": positive()}, w)


@scenario
def inf_times_mask() -> Step:
    w = ones(4)
    mask = np.tile(np.array([1, 1, 0, 1], "float32"), (8, 1))

    def loss(x: Any, mask: Any) -> Any:
        return tf.reduce_mean(tf.nn.softmax(x * w + (1.0 - mask) * -np.inf))  # <- mask

    return trained(loss, {"x": positive(), "mask": mask}, w)


@scenario
def fully_masked_row() -> Step:
    w = ones(4)
    mask = np.ones((8, 4), bool)
    mask[5] = False

    def loss(x: Any, mask: Any) -> Any:
        scores = tf.where(mask, x * w, -np.inf)
        return tf.reduce_mean(tf.square(tf.nn.softmax(scores)))  # <- softmax

    return trained(loss, {"x": positive(), "mask": mask}, w)


@scenario
def attention_mask() -> Step:
    w = ones(4)
    mask = np.ones((8, 4), bool)
    mask[5, 2:] = False

    def loss(x: Any, mask: Any) -> Any:
        return tf.reduce_mean(tf.square(tf.nn.softmax(tf.where(mask, x * w, -np.inf))))

    return trained(loss, {"x": positive(), "mask": mask}, w)


@scenario
def several_bad_rows() -> Step:
    x = positive(16)
    x[2, 1] = x[9, 1] = x[13, 0] = 0.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.math.log(x) * w), {"x": x}, w)


@scenario
def all_rows_zero() -> Step:
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.math.log(x) * w), {"x": np.zeros((8, 4), "float32")}, w)


@scenario
def flattened_batch() -> Step:
    x = rng().uniform(0.5, 1.5, (6, 5, 3)).astype("float32")
    x[4, 2, 1] = 0.0
    w = ones(3)
    return trained(lambda x: tf.reduce_mean(tf.math.log(tf.reshape(x, (-1, 3))) * w), {"x": x}, w)


@scenario
def transposed_flattened_batch() -> Step:
    x = rng().uniform(0.5, 1.5, (6, 5, 3)).astype("float32")
    x[4, 2, 1] = 0.0
    w = ones(3)

    def loss(x: Any) -> Any:
        return tf.reduce_mean(tf.math.log(tf.reshape(tf.transpose(x, (1, 0, 2)), (-1, 3))) * w)

    return trained(loss, {"x": x}, w)


@scenario
def whole_batch_statistic() -> Step:
    """The bad op has no axis of rows: only trials can find the row."""
    x = positive(16)
    x[11, 3] = 0.0
    w = ones(4)

    def loss(x: Any) -> Any:
        return tf.reduce_mean(x * w) * tf.math.log(tf.reduce_min(x))

    return trained(loss, {"x": x}, w)


@scenario
def called_functions() -> Step:
    """The bad op is in a function within a branch within a function."""
    x = positive()
    x[3, 0] = 0.0
    w = ones(4)

    @tf.function
    def inner(x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            return tf.math.log(x) * w  # <- inner log
        return x * w

    return trained(lambda x: tf.reduce_mean(inner(x)), {"x": x}, w)


def keras_step(model: Any, loss: Any, arguments: dict[str, Array], optimizer: Any = None) -> Step:
    """A step of a Keras model with its own optimizer."""
    optimizer = optimizer or keras.optimizers.Adam(1e-3)
    weights = model.trainable_variables
    optimizer.build(weights)

    @tf.function
    def step(x: Any, y: Any) -> dict[str, Any]:
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients = tape.gradient(value, [weight.value for weight in weights])
        optimizer.apply(gradients, weights)
        found = {"loss": value}
        for weight, gradient in zip(weights, gradients, strict=True):
            dense = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
            found[f"gradient of {weight.path}"] = dense
        return found

    names = {id(variable.value): variable.path for variable in [*model.variables, *optimizer.variables]}
    return Step(step, arguments, tuple(layer.name for layer in model.layers), names)


@scenario
def embedding_lstm() -> Step:
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((6,), dtype="int32"),
            keras.layers.Embedding(10, 4, name="words"),
            keras.layers.LSTM(3, name="memory"),
            keras.layers.Dense(1, name="score"),
            keras.layers.Lambda(lambda x: tf.math.log(x), name="logarithm"),
        ]
    )
    weights = model.get_layer("score").get_weights()
    model.get_layer("score").set_weights([weights[0] * 0.01, np.ones_like(weights[1])])
    table = np.abs(model.get_layer("words").get_weights()[0])
    table[7] = np.nan
    model.get_layer("words").set_weights([table])
    ids = rng().integers(0, 7, (8, 6)).astype("int32")
    ids[5, 3] = 7
    return keras_step(model, keras.losses.MeanSquaredError(), {"x": ids, "y": positive(8, 1)})


@scenario
def lstm_nan_row() -> Step:
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((5, 3)), keras.layers.LSTM(4, name="memory"), keras.layers.Dense(1)])
    x = rng().normal(size=(8, 5, 3)).astype("float32")
    x[2, 3, 1] = np.nan
    return keras_step(model, keras.losses.MeanSquaredError(), {"x": x, "y": positive(8, 1)})


@scenario
def batch_normalised() -> Step:
    """The bad row spoils the statistics, and with them all rows."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(4), keras.layers.BatchNormalization(name="bn"), keras.layers.Dense(1)]
    )
    x = positive(16)
    x[9] = 3e38
    return keras_step(model, keras.losses.MeanSquaredError(), {"x": x, "y": positive(16, 1)})


def convolution() -> Any:
    keras.utils.set_random_seed(1)
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            keras.layers.Conv2D(8, 3, activation="relu", name="conv"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(16, 3, activation="relu", name="conv2"),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(10, name="logits"),
        ]
    )


def images(count: int = 32) -> dict[str, Array]:
    x = rng().uniform(0, 1, (count, 28, 28, 1)).astype("float32")
    return {"x": x, "y": rng().integers(0, 10, count).astype("int32")}


@scenario
def convolution_nan_image() -> Step:
    data = images()
    data["x"][17, 5, 6, 0] = np.nan
    return keras_step(convolution(), keras.losses.SparseCategoricalCrossentropy(from_logits=True), data)


@scenario
def convolution_healthy() -> Step:
    return keras_step(convolution(), keras.losses.SparseCategoricalCrossentropy(from_logits=True), images())


@scenario
def softmax_cross_entropy() -> Step:
    """Probabilities that are exactly zero, without the care that Keras takes."""
    x = positive() * 10
    x[6] = [0.0, 0.0, 0.0, 900.0]
    y = np.zeros((8, 4), "float32")
    y[:, 0] = 1.0
    w = ones(4)

    def loss(x: Any, y: Any) -> Any:
        return -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(tf.nn.softmax(x * w)), -1))  # <- cross entropy

    return trained(loss, {"x": x, "y": y}, w)


@scenario
def python_function() -> Step:
    w = ones(4)

    def loss(x: Any) -> Any:
        y = tf.numpy_function(lambda x: x, [x], tf.float32)
        return tf.reduce_mean(tf.math.log(tf.reshape(y, (8, 4))) * w)

    return trained(loss, {"x": np.zeros((8, 4), "float32")}, w)


class Session(NamedTuple):
    """A step of a session in a graph of TensorFlow 1: what is fed by name, the variables, and what is looked at."""

    graph: Any
    fed: dict[str, tuple[Any, Array]]
    variables: dict[str, Any]
    targets: dict[str, Any]


def build_session(step: Session, path: Path) -> None:
    """Write the capture of a run, with the variables as they are initialised."""
    writer = Writer(path)
    v1 = tf.compat.v1
    with step.graph.as_default(), v1.Session() as session:
        session.run(v1.global_variables_initializer())
        state = [
            writer.state(variable.op.name, name, session.run(variable)) for name, variable in step.variables.items()
        ]
        values = session.run(step.targets, dict(step.fed.values()))
    suspects = []
    for name, value in values.items():
        numbers = capture_file.numbers_of(value)
        if numbers.nonfinite:
            tensor = step.targets[name].name
            suspects.append(Suspect(role=name.split()[0], name=name.split()[-1], tensor=tensor, numbers=numbers))
    writer.directory.graph(step.graph.as_graph_def())
    writer.directory.lines(Lines(functions={"": _graph_lines(step.graph, ())}))
    fed = [writer.fed(tensor, name, value, []) for name, (tensor, value) in step.fed.items()]
    targets = [tensor.name for tensor in step.targets.values()]
    writer.directory.finish(Capture(kind="session", suspects=suspects, fed=fed, state=state, targets=targets))


SESSIONS: dict[str, Callable[[], Session]] = {}


def session_scenario(function: Callable[[], Session]) -> Callable[[], Session]:
    SESSIONS[function.__name__] = function
    return function


def session_step(loss_of: Callable[[Any, Any], Any], x: Array, resource: bool, functional: bool = False) -> Session:
    """One weight, a loss, its gradient and an update, with either kind of variables and of control flow."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    choose = v1.enable_control_flow_v2 if functional else v1.disable_control_flow_v2
    choose()
    try:
        with graph.as_default():
            data = v1.placeholder(tf.float32, [None, x.shape[1]], name="data")
            w = v1.get_variable("w", [x.shape[1]], initializer=v1.ones_initializer(), use_resource=resource)
            loss = loss_of(data, w)
            optimizer = v1.train.AdamOptimizer(0.1)
            pairs = optimizer.compute_gradients(loss, [w])
            train = optimizer.apply_gradients(pairs)
            with graph.control_dependencies([train]):
                after = tf.identity(w if resource else w.read_value(), name="after")
            variables = {variable.op.name: variable for variable in v1.global_variables()}
    finally:
        v1.enable_control_flow_v2()
    targets = {"loss": loss, "gradient of w": pairs[0][0], "weight w": after}
    return Session(graph, {"data": (data, x)}, variables, targets)


def with_zero() -> Array:
    x = positive()
    x[3, 2] = 0.0
    return x


@session_scenario
def session_log() -> Session:
    return session_step(lambda x, w: tf.reduce_mean(tf.math.log(x) * w), with_zero(), resource=True)  # <- session log


@session_scenario
def session_ref_variable() -> Session:
    return session_step(lambda x, w: tf.reduce_mean(tf.math.log(x) * w), with_zero(), resource=False)


@session_scenario
def session_sqrt_gradient() -> Session:
    x = positive()
    x[5] = 0.0

    def loss(x: Any, w: Any) -> Any:
        return tf.reduce_mean(tf.sqrt(tf.reduce_sum(tf.square(x * w), -1)))  # <- session sqrt

    return session_step(loss, x, resource=False)


@session_scenario
def session_branch() -> Session:
    def loss(x: Any, w: Any) -> Any:
        y = tf.compat.v1.cond(tf.reduce_sum(x) > 0, lambda: tf.math.log(x) * w, lambda: x * w)
        return tf.reduce_mean(y)

    return session_step(loss, with_zero(), resource=True)


def looped(x: Any, w: Any) -> Any:
    """log(x * w) is added three times, in a loop whose gradient needs its values."""

    def body(turn: Any, total: Any) -> Any:
        return turn + 1, total * 0.5 + tf.math.log(x * w + 0.0 * total)  # <- session loop

    _, total = tf.compat.v1.while_loop(lambda turn, total: turn < 3, body, [0, tf.ones_like(x)])
    return tf.reduce_mean(total)


@session_scenario
def session_loop() -> Session:
    return session_step(looped, with_zero(), resource=True)


@session_scenario
def session_loop_of_functions() -> Session:
    return session_step(looped, with_zero(), resource=True, functional=True)


@session_scenario
def session_loop_gradient() -> Session:
    """The loss is finite; only the loop's gradient is not."""
    x = positive()
    x[6, 1] = 0.0

    def body(turn: Any, total: Any, x: Any, w: Any) -> Any:
        return turn + 1, total * 0.5 + tf.sqrt(x * w)

    def loss(x: Any, w: Any) -> Any:
        start = [0, tf.ones_like(x)]
        _, total = tf.compat.v1.while_loop(lambda turn, total: turn < 2, lambda t, s: body(t, s, x, w), start)
        return tf.reduce_mean(total)

    return session_step(loss, x, resource=True)


@session_scenario
def session_recurrent() -> Session:
    """Tensor arrays, as recurrent networks of TensorFlow 1 use them."""

    def loss(x: Any, w: Any) -> Any:
        rows = tf.TensorArray(tf.float32, 4, element_shape=[None]).unstack(tf.transpose(x * w))

        def body(turn: Any, total: Any, out: Any) -> Any:
            total = total * 0.5 + tf.math.log(rows.read(turn))
            return turn + 1, total, out.write(turn, total)

        out = tf.TensorArray(tf.float32, 4, element_shape=[None])
        start = [0, tf.ones_like(x[:, 0]), out]
        out = tf.compat.v1.while_loop(lambda turn, total, out: turn < 4, body, start)[2]
        return tf.reduce_mean(out.stack())

    return session_step(loss, with_zero(), resource=True)


def main() -> None:
    directory = Path(sys.argv[1])
    for name in sys.argv[2:] or [*SCENARIOS, *SESSIONS]:
        if name in SCENARIOS:
            build(SCENARIOS[name](), directory / name)
        else:
            build_session(SESSIONS[name](), directory / name)
        found = report.replay(str(directory / name), 60.0, lambda words: None)
        (directory / name / "replay.json").write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
