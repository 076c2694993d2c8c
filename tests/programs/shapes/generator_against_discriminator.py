"""The generator makes wider samples than the discriminator takes."""

import keras
import numpy as np

generator = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(32), keras.layers.Dense(96)])  # <- cause
discriminator = keras.Sequential([keras.layers.Input((64,)), keras.layers.Dense(1)])  # <- cause
noise = np.random.rand(8, 16).astype("float32")
fake = generator(noise)
verdict = discriminator(fake)  # <- cause
print(verdict)
