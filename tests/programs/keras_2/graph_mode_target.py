"""Keras 2 without eager execution, as code of TensorFlow 1 uses it: three targets for a model of one output."""

import numpy as np
import tensorflow as tf
import tf_keras

tf.compat.v1.disable_v2_behavior()
rows, wanted = np.zeros([64, 8], "float32"), np.zeros([64, 3], "float32")
model = tf_keras.Sequential()
model.add(tf_keras.layers.Dense(16, activation="relu", input_shape=(8,)))
model.add(tf_keras.layers.Dense(1))  # <- cause
model.compile("adam", "mse")
model.fit(rows, wanted, batch_size=32, verbose=0)
