"""The rhythm of a pump: a net with a memory from batch to batch, checked on the last part of the record."""

import keras
import numpy as np


def record(pieces, length):
    turns = np.linspace(0.0, 40.0, pieces * length)
    wave = np.sin(turns) + np.random.default_rng(2).normal(scale=0.05, size=turns.shape)
    pieces_of_it = wave.reshape(pieces, length, 1).astype("float32")
    return pieces_of_it[:, :-1], pieces_of_it[:, -1]


together = 8
before, after = record(pieces=80, length=6)
entrance = keras.Input(batch_shape=(together, 5, 1))
memory = keras.layers.GRU(4, stateful=True)(entrance)
net = keras.Model(entrance, keras.layers.Dense(1)(memory))
net.compile(optimizer="adam", loss="mse")
history = net.fit(before, after, batch_size=together, validation_split=3 / 10, shuffle=False, verbose=0)
print(sorted(history.history))
