"""Two recurrent layers, the first of which gives only its last state."""

import keras

VOCABULARY = 200


def build():
    model = keras.Sequential()
    model.add(keras.Input((12,), dtype="int32"))
    model.add(keras.layers.Embedding(VOCABULARY, 16))
    model.add(keras.layers.LSTM(8))  # <- cause
    model.add(keras.layers.LSTM(8))
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    return model


build().summary()
