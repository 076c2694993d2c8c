"""Images without an axis of channels go into a convolution."""

import keras

pictures = keras.Input(shape=(28, 28))  # <- cause
maps = keras.layers.Conv2D(8, 3)(pictures)  # <- cause
