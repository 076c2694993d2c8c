"""The pipeline takes the logarithm of an amount that is zero in one row."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(4)
amounts = np.random.default_rng(4).random([128, 4], "float32") + 0.1
amounts[70, 1] = 0.0
labels = np.arange(128) % 2


def prepare(row, label):
    return tf.math.log(row), label  # <- cause


data = tf.data.Dataset.from_tensor_slices((amounts, labels)).map(prepare).batch(16)
inputs = keras.Input([4])
model = keras.Model(inputs, keras.layers.Dense(2)(inputs))
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(data, epochs=1, verbose=0)
