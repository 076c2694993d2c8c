import os
import tempfile

import numpy as np
import tensorflow as tf

from caps import caps
from labels import load_labels
from train import train


class Identifier:
    def __init__(self, folder):
        self.model = tf.keras.models.load_model(os.path.join(folder, "caps.keras"))
        self.labels = load_labels(os.path.join(folder, "labels.json"))

    def name(self, x):
        scores = self.model.predict(x[None], verbose=0)[0]
        best = int(np.argmax(scores))
        return self.labels[best], float(scores[best])


def main():
    tf.keras.utils.set_random_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        train(folder)
        expert = Identifier(folder)
        x, names = caps(5, seed=2)
        for row, truth in zip(x, names):
            guess, score = expert.name(row)
            print(f"{truth:10s} -> {guess} ({score:.2f})")


if __name__ == "__main__":
    main()
