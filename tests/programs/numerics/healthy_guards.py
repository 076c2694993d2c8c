"""TerminateOnNaN, EarlyStopping and clipping are there and have nothing to do."""

import keras
import numpy as np

keras.utils.set_random_seed(34)
rows = np.random.default_rng(34).normal(size=[128, 6]).astype("float32")
model = keras.Sequential([keras.layers.Input([6]), keras.layers.BatchNormalization(), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.01, global_clipnorm=1.0), "mse")
guards = [keras.callbacks.TerminateOnNaN(), keras.callbacks.EarlyStopping("loss", patience=2)]
model.fit(rows, rows[:, :1], batch_size=16, epochs=4, callbacks=guards, verbose=0)
