"""The third convolution has nothing left to look at."""

import keras

model = keras.Sequential()
model.add(keras.layers.Input((12, 12, 3)))
model.add(keras.layers.Conv2D(8, 5))
model.add(keras.layers.MaxPooling2D(2))
model.add(keras.layers.Conv2D(8, 5))  # <- cause
model.build()
