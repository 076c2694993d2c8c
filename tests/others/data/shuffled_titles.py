import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

LENGTH, WORDS = 6, 50


class Titles:
    def __init__(self, count, seed=61):
        draw = np.random.default_rng(seed)
        self.x = draw.integers(1, WORDS, (count, LENGTH))
        self.y = [int(row.sum() > 150) for row in self.x]

    def next_batch(self, x, y, batch_size):
        perm = np.arange(len(x))
        np.random.default_rng(0).shuffle(perm)
        x = x[perm]
        y = y[perm]  # <- cause
        for begin in range(0, len(x) - batch_size + 1, batch_size):
            yield x[begin : begin + batch_size], y[begin : begin + batch_size]


def classifier():
    model = keras.Sequential([keras.Input((LENGTH,)), keras.layers.Embedding(WORDS, 6), keras.layers.Flatten()])
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile("adam", "binary_crossentropy")
    return model


def train(config):
    data = Titles(config["count"])
    model = classifier()
    for epoch in range(config["epochs"]):
        for x, y in data.next_batch(data.x, data.y, config["batch_size"]):
            loss = model.train_on_batch(x, y)
        print(epoch, loss)


train({"count": 64, "epochs": 2, "batch_size": 16})
