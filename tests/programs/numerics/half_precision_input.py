"""Mixed precision over data that is far too large for it."""

import keras
import numpy as np

keras.utils.set_random_seed(42)
keras.mixed_precision.set_global_policy("mixed_float16")
pixels = np.random.default_rng(42).random([96, 8], "float32") * 6e4
pixels[40] *= 2.0
model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(4), keras.layers.Dense(1, dtype="float32")])
model.compile(keras.optimizers.SGD(0.01), "mae")
model.fit(pixels, pixels[:, :1] / 6e4, batch_size=8, epochs=1, verbose=0)
