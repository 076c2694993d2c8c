"""A single picture gets its batch axis."""

import keras
import numpy as np

SIDE = 12
draw = np.random.default_rng(0)
model = keras.Sequential(
    [keras.Input((SIDE, SIDE, 3)), keras.layers.Conv2D(4, 5), keras.layers.Flatten(), keras.layers.Dense(1)]
)
model.compile("adam", "mse")
model.fit(draw.random((16, SIDE, SIDE, 3)), draw.random(16), verbose=0)
photo = draw.random((SIDE, SIDE, 3))
photo = np.expand_dims(photo, axis=0)
print(model.predict(photo, verbose=0))
