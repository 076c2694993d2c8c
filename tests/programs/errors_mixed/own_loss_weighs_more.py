"""A loss of one's own weighs four classes where the model has three."""

import keras
import numpy as np
import tensorflow as tf

importance = tf.constant([1.0, 2.0, 2.0, 4.0])


def weighted(y_true, y_pred):
    each = -y_true * tf.math.log(y_pred + 1e-7)
    return tf.reduce_sum(each * importance, axis=-1)  # <- cause


x = np.random.default_rng(0).normal(size=(48, 6)).astype("float32")
y = keras.utils.to_categorical(np.arange(48) % 3, 3)
inputs = keras.Input((6,))
hidden = keras.layers.Dense(16, activation="relu")(inputs)
model = keras.Model(inputs, keras.layers.Dense(3, activation="softmax")(hidden))
model.compile("adam", weighted)
model.fit(x, y, batch_size=16, verbose=0)
