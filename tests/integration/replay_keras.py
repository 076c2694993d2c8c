"""Scenarios of Keras models, for `replay_scenarios.py`."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from replay_captures import Array, Step, positive, rng
from replay_steps import ones, scenario, trained


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
def bidirectional_overflow() -> Step:
    """The backward half of the layer is no gradient."""
    keras.utils.set_random_seed(1)
    both = keras.layers.Bidirectional(keras.layers.SimpleRNN(3, activation="relu"), name="both")
    model = keras.Sequential([keras.Input((5, 3)), both, keras.layers.Lambda(tf.exp), keras.layers.Dense(1)])
    x = rng().normal(size=(8, 5, 3)).astype("float32")
    x[6] = 500.0
    return keras_step(model, keras.losses.MeanSquaredError(), {"x": x, "y": positive(8, 1)})


@scenario
def target_far_out() -> Step:
    """With another row of x the step is finite too, but it is y that lies far from all others."""
    x, y = positive(16, 1), positive(16, 1)
    x[5], y[5] = 1.5, 40.0
    w = tf.Variable([[0.1]])
    return trained(
        lambda x, y: (
            -tf.reduce_mean(tf.math.log(tf.exp(-tf.square(y - x @ w) / (0.1 + 200.0 * (2.0 - x)[:, :1] ** 4))))
        ),
        {"x": x, "y": y},
        w,
    )


@scenario
def all_tokens_padded() -> Step:
    """Each other row heals it with the one column that it has, and no column of the padded row is bad by itself."""
    tokens = np.zeros((8, 4), "int32")
    for row in range(8):
        tokens[row, row % 4] = 1 + row
    tokens[5] = 0
    w = ones(4, 4)

    def loss(tokens: Any) -> Any:
        bias = tf.where(tokens > 0, 0.0, -np.inf)
        return tf.reduce_mean(tf.square(tf.nn.softmax(tf.cast(tokens, tf.float32) @ w + bias)))

    return trained(loss, {"tokens": tokens}, w)


@scenario
def mean_of_nothing() -> Step:
    x, y = positive(), np.full((8, 4), -1, "int32")
    w = ones(4)
    return trained(lambda x, y: tf.reduce_mean(tf.boolean_mask(x * w, y >= 0)), {"x": x, "y": y}, w)


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
