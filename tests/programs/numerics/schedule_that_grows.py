"""A decay whose rate is above one: the learning rate grows by half every five steps until the training diverges."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
x = np.random.RandomState(0).normal(size=(640, 10)).astype("float32")
y = x.sum(1, keepdims=True)
rate = keras.optimizers.schedules.ExponentialDecay(0.01, decay_steps=5, decay_rate=1.5)  # <- cause
model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(rate), "mse")
model.fit(x, y, epochs=6, batch_size=32, verbose=0)
