"""A map of rocks and a depth: one network with two inputs."""

import keras
import numpy as np
from keras.layers import Concatenate, Conv2D, Dense, Dropout, Flatten, Input, MaxPooling2D

ROWS, COLS = 12, 6


def convolutions(entry):
    x = Conv2D(8, (3, COLS))(entry)
    x = MaxPooling2D(pool_size=(2, 1))(x)
    x = Dropout(0.5)(x)
    return Flatten()(x)


def network():
    picture = Input(shape=(ROWS, COLS, 1), name="picture")
    depth = Input(shape=(1,), name="depth")
    seen = convolutions(picture)
    x = Concatenate(axis=1)([seen, depth])
    x = Dense(16, activation="relu")(x)
    x = Dense(16, activation="relu")(x)
    kind = Dense(2, activation="softmax")(x)
    return keras.Model(inputs=[picture, depth], outputs=kind)


def samples(count):
    rng = np.random.default_rng(2)
    return {
        "picture": rng.normal(size=(count, ROWS, COLS, 1)).astype("float32"),
        "depth": rng.uniform(size=(count, 1)).astype("float32"),
    }, keras.utils.to_categorical(rng.integers(0, 2, count), 2)


inputs, labels = samples(50)
model = network()
model.compile(optimizer="rmsprop", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x=inputs, y=labels, epochs=2, batch_size=10, verbose=0)
print(model.count_params())
