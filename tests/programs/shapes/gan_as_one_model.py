"""Generator and discriminator are stacked into one model and do not fit."""

import keras
import numpy as np

latent = keras.Input((10,))
generated = keras.layers.Dense(50, name="last_of_generator")(latent)  # <- cause
generator = keras.Model(latent, generated)

sample = keras.Input((40,))
discriminator = keras.Model(sample, keras.layers.Dense(1)(sample))

both = keras.Model(latent, discriminator(generator(latent)))  # <- cause
both.compile("sgd", "binary_crossentropy")
both.fit(np.zeros((4, 10)), np.zeros((4, 1)), verbose=0)
