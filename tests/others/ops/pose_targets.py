"""Regression of five pose values. Rows that were measured twice count more."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K

DIMENSIONS = 5
BATCH = 32


class PoseModel:
    def __init__(self, inputs, rate=1e-3):
        self.net = keras.Sequential(
            [
                keras.Input((inputs,)),
                keras.layers.Dense(32, activation="tanh"),
                keras.layers.Dense(DIMENSIONS),
            ]
        )
        self.net.compile(optimizer=keras.optimizers.Adam(rate), loss=self.euclidean)

    @staticmethod
    def euclidean(y_true, y_pred):
        squares = tf.square(y_pred - y_true)
        return tf.sqrt(tf.reduce_sum(squares, axis=0) + K.epsilon())  # <- cause

    def train(self, x, y, weights):
        return self.net.fit(x, y, sample_weight=weights, batch_size=BATCH, epochs=1, verbose=0)


def measure(count):
    rng = np.random.default_rng(31)
    x = rng.normal(size=(count, 10)).astype("float32")
    y = (x @ rng.normal(size=(10, DIMENSIONS))).astype("float32")
    weights = np.where(rng.random(count) < 0.2, 2.0, 1.0).astype("float32")
    return x, y, weights


def main():
    x, y, weights = measure(320)
    model = PoseModel(inputs=x.shape[1])
    history = model.train(x, y, weights)
    print("loss", history.history["loss"][-1])


if __name__ == "__main__":
    main()
