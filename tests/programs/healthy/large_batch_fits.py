"""A large batch, a model with many weights and a large product, all within the memory."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.layers.Input([512]), keras.layers.Dense(4096), keras.layers.Dense(1)])
model.compile("adam", "mse")
x, y = np.ones((2048, 512), "float32"), np.ones((2048, 1), "float32")
model.fit(x, y, batch_size=2048, epochs=3, verbose=0)
model.predict(x, batch_size=2048, verbose=0)
distances = tf.matmul(x, x, transpose_b=True)
print(distances.shape)
