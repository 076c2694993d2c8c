"""A softmax written out overflows for scores that the function of the library takes: here the op is the cause."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


def my_softmax(scores):
    grown = tf.exp(scores)  # <- cause
    return grown / tf.reduce_sum(grown, axis=-1, keepdims=True)  # <- cause


keras.utils.set_random_seed(6)
draw = np.random.default_rng(6)
words = (40 * draw.random((480, 30))).astype("float32")
topics = draw.integers(0, 5, 480)
model = keras.Sequential(
    [keras.Input((30,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(5, activation=my_softmax)]
)
model.compile(keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy")
model.fit(words, topics, epochs=3, batch_size=32, verbose=2)
