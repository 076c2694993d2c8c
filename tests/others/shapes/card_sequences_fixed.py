"""Fraud scores for sequences of card payments: two recurrent layers, then attention over the steps."""

import numpy as np
from tensorflow.keras.layers import LSTM, Activation, Dense, Dot, Flatten, Input, RepeatVector, Permute, Multiply
from tensorflow.keras.models import Model

STEPS = 12
FEATURES = 9
UNITS = 16


def make_payments(customers):
    rng = np.random.default_rng(5)
    payments = rng.normal(size=(customers, STEPS, FEATURES)).astype("float32")
    fraud = (payments[:, -3:, 0].mean(axis=1) > 0.4).astype("float32")
    return payments, fraud


def attend(states):
    scores = Dense(1, activation="tanh")(states)
    scores = Flatten()(scores)
    scores = Activation("softmax")(scores)
    spread = Permute((2, 1))(RepeatVector(UNITS)(scores))
    weighted = Multiply()([states, spread])
    return Dot(axes=1)([weighted, scores])


def build():
    payments = Input(shape=(STEPS, FEATURES))
    first = LSTM(UNITS, dropout=0.3, recurrent_dropout=0.2, return_sequences=True)(payments)
    second = LSTM(UNITS, dropout=0.3, recurrent_dropout=0.2, return_sequences=True)(first)
    summary = attend(second)
    score = Dense(1, activation="sigmoid")(summary)
    return Model(payments, score)


def main():
    payments, fraud = make_payments(200)
    model = build()
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["AUC"])
    history = model.fit(payments, fraud, batch_size=50, epochs=1, verbose=0)
    print({name: round(values[-1], 3) for name, values in history.history.items()})


if __name__ == "__main__":
    main()
