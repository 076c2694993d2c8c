"""Writes the next word of a debate; the party of the speaker is a second input."""

import numpy as np
from keras.layers import LSTM, Concatenate, Dense, Dropout, Embedding, Flatten, Input
from keras.models import Model


def define_model(vocab_size, max_length):
    texts = Input(shape=(max_length,), name="texts")
    words = Embedding(vocab_size, 12)(texts)
    words = Dropout(0.5)(words)
    steps = LSTM(16, return_sequences=True)(words)
    dense = Dense(10, activation="relu")(Flatten()(steps))
    party = Input(shape=(1,), name="party")
    outputs = Dense(vocab_size, activation="softmax")(Concatenate()([dense, party]))
    return Model(inputs=[texts, party], outputs=outputs)


def speeches(count, vocab_size, max_length):
    rng = np.random.default_rng(6)
    numbers = rng.integers(1, vocab_size, (count, max_length))
    return numbers, rng.integers(0, 2, (count, 1)).astype("float32"), rng.integers(1, vocab_size, count)


def main(vocab_size=50, max_length=9):
    numbers, parties, following = speeches(64, vocab_size, max_length)
    model = define_model(vocab_size, max_length)
    model.compile(loss="sparse_categorical_crossentropy", optimizer="adam")
    model.fit([numbers, parties], following, epochs=1, verbose=0)
    print("loss", model.evaluate([numbers, parties], following, verbose=0))


main()
