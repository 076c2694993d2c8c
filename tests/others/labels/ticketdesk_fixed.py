import numpy as np
import tensorflow as tf
from tensorflow import keras

QUEUES, URGENCY = 4, 2


def tickets(n=320, seed=19):
    rng = np.random.default_rng(seed)
    queue = rng.choice(QUEUES, n, p=[0.7, 0.15, 0.1, 0.05])
    urgent = (rng.random(n) < 0.08).astype("int64")
    words = rng.poisson(0.3, (n, 30)).astype("float32")
    words[np.arange(n), queue] += 2
    words[:, 10] += 3 * urgent
    return words, queue, urgent


def balance(labels, k):
    counts = np.bincount(labels, minlength=k)
    return {c: float(len(labels) / (k * max(counts[c], 1))) for c in range(k)}


class Router:
    def __init__(self, width):
        inp = keras.Input((width,))
        h = keras.layers.Dense(32, activation="relu")(inp)
        q = keras.layers.Dense(QUEUES, activation="softmax", name="queue")(h)
        u = keras.layers.Dense(URGENCY, activation="softmax", name="urgent")(h)
        self.model = keras.Model(inp, {"queue": q, "urgent": u})
        self.model.compile(optimizer="adam",
                           loss={"queue": "sparse_categorical_crossentropy",
                                 "urgent": "sparse_categorical_crossentropy"})

    def fit(self, words, queue, urgent, epochs=3):
        per_class = {"queue": balance(queue, QUEUES), "urgent": balance(urgent, URGENCY)}
        weights = {"queue": np.array([per_class["queue"][c] for c in queue]),
                   "urgent": np.array([per_class["urgent"][c] for c in urgent])}
        return self.model.fit(words, {"queue": queue, "urgent": urgent},
                              sample_weight=weights,
                              batch_size=32, epochs=epochs, verbose=2)


if __name__ == "__main__":
    words, queue, urgent = tickets()
    Router(words.shape[1]).fit(words, queue, urgent)
