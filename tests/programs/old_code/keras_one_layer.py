"""A convolution with the arguments of Keras 1."""

from tensorflow.keras.layers import Conv2D, Input
from tensorflow.keras.models import Sequential

model = Sequential()
model.add(Input((8, 8, 3)))
model.add(Conv2D(16, (3, 3), border_mode="same", subsample=(2, 2)))  # <- cause
print(model.output_shape)
