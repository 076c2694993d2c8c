"""Imports layers from the modules that Keras 1 and 2 had them in."""

from keras.layers.core import Dense, Dropout  # <- cause
from keras.models import Sequential

model = Sequential([Dense(4), Dropout(0.5)])
print(model)
