"""A pooling window is larger than the feature map."""

import keras

image = keras.Input((6, 6, 1))
maps = keras.layers.Conv2D(4, 3, name="maps")(image)
pooled = keras.layers.MaxPooling2D(pool_size=5, name="pooled")(maps)  # <- cause
