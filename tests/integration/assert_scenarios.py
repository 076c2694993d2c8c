"""A program for test_asserts.py: each case makes an assertion that holds and one that fails, in one kind of code.

Prints a JSON object: what each case raised, by type and message, or what it gave.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import whydied

told: dict[str, Any] = {}
NAN = float("nan")
BAD = [[1.0, 2.0], [3.0, NAN], [float("inf"), 4.0]]


def attempt(name: str, work: Callable[[], Any]) -> None:
    try:
        told[name] = ["gave", np.asarray(work()).tolist()]
    except Exception as error:
        told[name] = [[kind.__name__ for kind in type(error).__mro__], str(error)]


def eager() -> Any:
    logits = tf.math.log(tf.constant([[1.0, 0.0], [2.0, -1.0]]))
    return whydied.assert_finite(logits)


attempt("eager", eager)
attempt("array", lambda: whydied.assert_finite(np.array(BAD)))
attempt("named", lambda: whydied.assert_finite(np.array(BAD), name="pixels"))
attempt("list", lambda: whydied.assert_finite([1.0, NAN]))
attempt("scalar", lambda: whydied.assert_finite(tf.constant(NAN)))
attempt("whole numbers", lambda: whydied.assert_finite(tf.constant([1, 2])))
attempt("complex", lambda: whydied.assert_finite(tf.constant([1 + 1j, complex(0, NAN)])))
attempt("bfloat16", lambda: whydied.assert_range(tf.constant([1, 2, 3], tf.bfloat16), 2))
attempt("range", lambda: whydied.assert_range(np.array([[1, 5], [7, 2]]), 0, 5))
attempt("range of NaN", lambda: whydied.assert_range(tf.constant([1.0, NAN]), high=5))
attempt("range of strings", lambda: whydied.assert_range(tf.constant(["a"]), 0, 5))
attempt("shape", lambda: whydied.assert_shape(np.zeros((3, 27, 28, 1)), "batch 28 28 1"))
attempt("shape as tuple", lambda: whydied.assert_shape(np.zeros((3, 2)), (None, 2)))
attempt("bytes", lambda: whydied.limit_bytes(np.zeros((300, 1000)), "1MB"))
attempt("dims", lambda: whydied.limit_dims(np.zeros((2, 2, 2)), 2))
attempt("axes", lambda: whydied.limit_dims(np.zeros((9, 30)), (None, 20)))
attempt("ragged", lambda: whydied.assert_finite(tf.ragged.constant([[1.0, 2.0], [NAN]])))
attempt("sparse", lambda: whydied.assert_range(tf.sparse.from_dense([[0.0, 7.0]]), 0, 5))
attempt("sparse shape", lambda: whydied.assert_shape(tf.sparse.from_dense([[0.0, 7.0]]), "2 1"))
slices = tf.IndexedSlices(tf.constant([[NAN]]), tf.constant([3]))
attempt("gradients", lambda: whydied.assert_finite([tf.constant(1.0), None, slices], name="grads"))

same = np.ones(3)
told["same object"] = [whydied.assert_finite(same) is same, whydied.assert_range(tf.Variable(1.0), 0, 1).dtype.name]


@tf.function
def traced(x: Any) -> Any:
    y = tf.math.log(x)
    return whydied.assert_finite(y) * 2


attempt("function good", lambda: traced(tf.ones((2, 2))))
attempt("function", lambda: traced(tf.constant([[1.0, 0.0], [2.0, -1.0]])))


@tf.function(input_signature=[tf.TensorSpec(None)])
def shaped(x: Any) -> Any:
    return whydied.assert_shape(x, "n *many 3 n")


attempt("unknown shape good", lambda: tf.shape(shaped(tf.ones((2, 5, 3, 2)))))
attempt("unknown shape, no middle", lambda: tf.shape(shaped(tf.ones((2, 3, 2)))))
attempt("unknown shape", lambda: shaped(tf.ones((2, 5, 3, 1))))
attempt("unknown shape, short", lambda: shaped(tf.ones((2, 3))))


@tf.function(input_signature=[tf.TensorSpec([None, None])])
def limited(x: Any) -> Any:
    return whydied.limit_dims(whydied.limit_bytes(x, 400), (None, 20))


attempt("limits good", lambda: tf.shape(limited(tf.ones((5, 20)))))
attempt("limits, bytes", lambda: limited(tf.ones((6, 20))))
attempt("limits, axes", lambda: limited(tf.ones((1, 21))))


@tf.function
def static(x: Any) -> Any:
    return whydied.assert_shape(x, "batch 5")


attempt("while tracing", lambda: static(tf.ones((2, 3))))


@tf.function(jit_compile=True)
def compiled(x: Any) -> Any:
    return whydied.assert_finite(tf.math.log(x)) * 2


attempt("compiled", lambda: tf.math.is_nan(compiled(tf.constant([-1.0]))))

data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).map(lambda x: whydied.assert_range(x, 0, 2))
attempt("dataset", lambda: list(data.as_numpy_iterator()))

weight = tf.Variable([[1.0, 2.0]])
for way in ("eager", "function"):

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            checked = whydied.assert_range(whydied.assert_finite(weight * 1.0), 0, 9)
            loss = tf.reduce_sum(checked**2)
        return tape.gradient(loss, weight)

    attempt(f"gradient {way}", gradient if way == "eager" else tf.function(gradient))

with tf.Graph().as_default():
    place = tf.compat.v1.placeholder(tf.float32, (None, 2))
    root = whydied.assert_range(tf.sqrt(place), 0, 10)
    with tf.compat.v1.Session() as session:
        attempt("session good", lambda: session.run(root, {place: [[1, 4]]}))
        attempt("session", lambda: session.run(root, {place: [[1, 4], [9, 400], [-1, 2]]}))

inputs = keras.Input((2,))
hidden = keras.layers.Dense(3, name="hidden", kernel_initializer="ones")(inputs)
hidden = whydied.assert_finite(hidden)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
attempt("functional good", lambda: model(np.ones((2, 2), "float32")))
attempt("functional", lambda: model(np.array(BAD, "float32")))
model.compile("sgd", "mse")
attempt("fit", lambda: model.fit(np.array(BAD, "float32"), np.ones((3, 1)), verbose=0, shuffle=False))
attempt("functional shape", lambda: whydied.assert_shape(hidden, "batch 4"))
model.save(os.path.join(os.getcwd(), "model.keras"))
again = keras.models.load_model(os.path.join(os.getcwd(), "model.keras"))
attempt("loaded", lambda: again(np.array(BAD, "float32")))


@tf.function
def masked(ids: Any) -> Any:
    checked = whydied.assert_finite(keras.layers.Masking()(ids))
    return keras.src.backend.get_keras_mask(checked)


attempt("masked", lambda: masked(tf.constant([[[1.0], [0.0]]])))
sys.stdout.write(json.dumps(told) + "\n")
