"""A network whose first layer starts from measured values, saved and loaded again."""

import os
import tempfile

import numpy as np
import tensorflow as tf


class MeasuredStart(tf.keras.initializers.Initializer):
    def __init__(self, data=None):  # <- cause
        self.data = data

    def __call__(self, shape, dtype=None):
        return tf.constant(self.data.reshape(shape), dtype=dtype)


def responses(inputs, outputs):
    return np.linspace(-1.0, 1.0, inputs * outputs)


def make_model(inputs=6, outputs=4):
    start = MeasuredStart(responses(inputs, outputs))
    return tf.keras.Sequential(
        [
            tf.keras.Input((inputs,)),
            tf.keras.layers.Dense(outputs, kernel_initializer=start, activation="tanh"),
            tf.keras.layers.Dense(1),
        ]
    )


def main():
    rng = np.random.default_rng(12)
    x = rng.normal(size=(80, 6)).astype("float32")
    model = make_model()
    model.compile("sgd", "mse")
    model.fit(x, x[:, :1], epochs=1, verbose=2)
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "measured.keras")
        model.save(path)
        again = tf.keras.models.load_model(path, custom_objects={"MeasuredStart": MeasuredStart})
    print("error", again.evaluate(x, x[:, :1], verbose=0))


if __name__ == "__main__":
    main()
