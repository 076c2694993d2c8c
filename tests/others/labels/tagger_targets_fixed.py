import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Bidirectional, Dense, Embedding, Input, LSTM
from tensorflow.keras.utils import to_categorical

SEED = 7
N_DOCS = 96
DOC_LEN = 14
VOCAB = 60
ECHO = 5


def make_documents(rng):
    lengths = rng.integers(6, DOC_LEN + 1, size=N_DOCS)
    docs = np.zeros((N_DOCS, DOC_LEN), dtype="int32")
    for row, length in enumerate(lengths):
        docs[row, :length] = rng.integers(1, VOCAB, size=length)
    return docs


def make_echo(docs):
    echo = np.zeros_like(docs)
    echo[:, :ECHO] = docs[:, :ECHO]
    return echo


def build_echo_model():
    net = Sequential()
    net.add(Input(shape=(DOC_LEN,)))
    net.add(Embedding(VOCAB, 16))
    net.add(Bidirectional(LSTM(12, return_sequences=True)))
    net.add(Dense(VOCAB, activation="softmax"))
    net.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    return net


def main():
    rng = np.random.default_rng(SEED)
    docs = make_documents(rng)
    targets = to_categorical(make_echo(docs), num_classes=VOCAB)

    cut = int(0.75 * N_DOCS)
    x_train, x_test = docs[:cut], docs[cut:]
    y_train, y_test = targets[:cut], targets[cut:]
    print("train", x_train.shape, y_train.shape)
    print("test", x_test.shape, y_test.shape)

    net = build_echo_model()
    net.summary(print_fn=lambda line: None)
    net.fit(x_train, y_train, epochs=2, batch_size=16, verbose=0)

    loss, acc = net.evaluate(x_test, y_test, verbose=0)
    print(f"held-out loss {loss:.3f}, accuracy {acc:.3f}")
    guess = net.predict(x_test[:1], verbose=0).argmax(axis=-1)
    print("first echo:", guess[0, :ECHO])


if __name__ == "__main__":
    main()
