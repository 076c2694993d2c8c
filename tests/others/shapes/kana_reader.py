"""Spells Japanese words: an encoder that reads both ways, and a decoder that starts with what it read."""

import numpy as np
from tensorflow.keras.layers import LSTM, Bidirectional, Dense, Embedding, Input, TimeDistributed
from tensorflow.keras.models import Model

LETTERS, KANA, LENGTH, UNITS = 30, 40, 9, 16


def create_model():
    encoder_input = Input(shape=(LENGTH,))
    decoder_input = Input(shape=(LENGTH,))
    encoder = Embedding(LETTERS, 12)(encoder_input)
    encoder = Bidirectional(LSTM(UNITS, return_sequences=True))(encoder)  # <- cause
    decoder = Embedding(KANA, 12)(decoder_input)
    decoder = LSTM(UNITS * 2, return_sequences=True)(decoder, initial_state=[encoder, encoder])
    decoder = TimeDistributed(Dense(KANA, activation="softmax"))(decoder)
    model = Model(inputs=[encoder_input, decoder_input], outputs=[decoder])
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    return model


rng = np.random.default_rng(9)
letters = rng.integers(1, LETTERS, (64, LENGTH))
kana = rng.integers(1, KANA, (64, LENGTH))
shifted = np.concatenate([np.zeros((64, 1), int), kana[:, :-1]], axis=1)
create_model().fit([letters, shifted], kana, batch_size=16, epochs=1, verbose=0)
print("trained on", len(letters))
