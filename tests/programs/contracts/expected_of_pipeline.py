"""A declared contract on a tf.data pipeline stops the training at the batch that breaks it."""

import keras
import numpy as np
import tensorflow as tf

import whydied

rng = np.random.default_rng(6)
features = rng.random([300, 4], "float32")
features[140, 1] = np.nan
answers = rng.random([300, 1], "float32")
data = tf.data.Dataset.from_tensor_slices((features, answers)).map(lambda f, a: (f * 2.0, a)).batch(30)
data = whydied.expect(data, ("rows 4", "rows 1"), finite=True, name="data")  # <- cause
model = keras.Sequential([keras.layers.Input([4]), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, verbose=0)
