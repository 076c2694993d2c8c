"""Keras 2: the encoder's codes are wider than what the decoder takes."""

import tf_keras

pixels = tf_keras.Input((30,))
codes = tf_keras.layers.Dense(12, name="codes")(pixels)  # <- cause
encoder = tf_keras.Model(pixels, codes)

given = tf_keras.Input((8,))
decoder = tf_keras.Model(given, tf_keras.layers.Dense(30)(given))

whole = tf_keras.Model(pixels, decoder(encoder(pixels)))  # <- cause
