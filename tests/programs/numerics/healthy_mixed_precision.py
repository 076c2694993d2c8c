"""Mixed precision, whose loss scale begins far too high, so that the first steps are skipped."""

import keras
import numpy as np

keras.utils.set_random_seed(33)
keras.mixed_precision.set_global_policy("mixed_float16")
rows = np.random.default_rng(33).normal(size=[256, 8]).astype("float32")
model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(16, "relu"), keras.layers.Dense(1, dtype="float32")])
optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=2.0**30)
model.compile(optimizer, "mse")
history = model.fit(rows, rows[:, :1], batch_size=16, epochs=3, verbose=0)
print(history.history["loss"][-1] < history.history["loss"][0])
