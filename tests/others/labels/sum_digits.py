"""Learns to answer small sums, letter by letter."""

import numpy as np
from keras.layers import LSTM, Activation, Dense, Dropout
from keras.models import Sequential

chars = "0123456789+-/* "
maxlen = 9


def one_hot(texts):
    coded = np.zeros((len(texts), maxlen, len(chars)), dtype="float32")
    for row, text in enumerate(texts):
        for place, letter in enumerate(text.ljust(maxlen)):
            coded[row, place, chars.index(letter)] = 1
    return coded


def sums(count):
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 999, (count, 2))
    return [f"{a} + {b}" for a, b in pairs], [str(a + b) for a, b in pairs]


sentences, results = sums(100)
x, y = one_hot(sentences), one_hot(results)

model = Sequential()
model.add(LSTM(32, return_sequences=True, input_shape=(maxlen, len(chars))))
model.add(Dropout(0.2))
model.add(LSTM(32, return_sequences=False))  # <- cause
model.add(Dropout(0.2))
model.add(Dense(len(chars)))
model.add(Activation("softmax"))
model.compile(loss="categorical_crossentropy", optimizer="rmsprop")
model.fit(x, y, batch_size=25, epochs=1, verbose=0)
print("loss", model.evaluate(x, y, verbose=0))
