"""Continues melodies: an encoder that reads in both directions, and a decoder that begins with its states."""

import keras
import numpy as np
from keras import layers

NOTES, STEPS = 24, 8
ENCODER_UNITS = 10
DECODER_UNITS = 2 * ENCODER_UNITS


class Melodies(keras.Model):
    def __init__(self):
        super().__init__()
        self.table = layers.Embedding(NOTES, 6)
        self.encoder = layers.Bidirectional(layers.LSTM(ENCODER_UNITS, return_state=True))
        self.decoder = layers.LSTM(DECODER_UNITS, return_sequences=True)
        self.out = layers.Dense(NOTES, activation="softmax")

    def call(self, inputs):
        heard, begun = inputs
        _, forward_h, forward_c, back_h, back_c = self.encoder(self.table(heard))
        hidden = keras.ops.concatenate([forward_h, back_h], axis=-1)
        cell = keras.ops.concatenate([forward_c, back_c], axis=-1)
        return self.out(self.decoder(self.table(begun), initial_state=[hidden, cell]))


rng = np.random.default_rng(1)
heard, begun, following = (rng.integers(0, NOTES, (32, STEPS)) for _ in range(3))
model = Melodies()
model.compile("adam", "sparse_categorical_crossentropy")
model.fit((heard, begun), following, batch_size=8, epochs=1, verbose=0)
print("trained on", len(heard))
