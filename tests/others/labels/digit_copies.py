"""A small autoencoder: pictures of digits in, the same pictures out."""

import numpy as np
from tensorflow.keras.layers import Dense, Flatten, Input, Reshape
from tensorflow.keras.models import Sequential

SIDE = 14


def digits(count):
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 60, (count, SIDE, SIDE))
    pictures[:, 3:11, 6:8] = 255
    return pictures.astype("float32")


x_train = digits(200)

model = Sequential()
model.add(Input(x_train.shape[1:]))
model.add(Flatten())
model.add(Dense(60, activation="relu"))
model.add(Dense(20, activation="relu"))
model.add(Dense(60, activation="relu"))
model.add(Dense(SIDE * SIDE, activation="relu"))
model.add(Reshape((SIDE, SIDE)))
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")  # <- cause
model.fit(x_train, x_train, epochs=1, batch_size=50, verbose=0)
print("loss", model.evaluate(x_train, x_train, verbose=0))
