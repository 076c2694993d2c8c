"""Fewer rows than a batch, and the remainder is dropped: nothing is left."""

import keras
import numpy as np
import tensorflow as tf

few = np.random.default_rng(0).random([20, 3], "float32")
pipeline = tf.data.Dataset.from_tensor_slices((few, few[:, :1])).shuffle(20).batch(32, drop_remainder=True)
model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(pipeline, verbose=0)  # <- cause
