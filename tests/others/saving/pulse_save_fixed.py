import os
import tempfile

import numpy as np
import tensorflow as tf

LENGTH = 50


class BandGate(tf.keras.layers.Layer):
    """Weights the time steps with a learned gate."""

    def __init__(self, units, sharpness=1.0, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.sharpness = sharpness
        self.score = tf.keras.layers.Dense(units, activation="tanh")
        self.gate = tf.keras.layers.Dense(1)

    def build(self, input_shape):
        self.score.build(input_shape)
        self.gate.build((*input_shape[:-1], self.units))

    def call(self, x):
        weight = tf.keras.ops.softmax(self.sharpness * self.gate(self.score(x)), axis=1)
        return tf.keras.ops.sum(weight * x, axis=1)

    def get_config(self):
        config = super().get_config()
        config.update({"units": self.units, "sharpness": self.sharpness})
        return config


def pulses(n, seed):
    rng = np.random.default_rng(seed)
    fast = rng.integers(0, 2, n)
    t = np.arange(LENGTH)
    rate = np.where(fast, 0.9, 0.4)[:, None]
    x = np.sin(rate * t + rng.uniform(0, 6, (n, 1))) + rng.normal(0, 0.1, (n, LENGTH))
    return x[..., None].astype("float32"), fast.astype("float32")[:, None]


def build():
    inp = tf.keras.Input((LENGTH, 1))
    x = tf.keras.layers.Conv1D(8, 5, activation="relu")(inp)
    x = BandGate(8, sharpness=2.0)(x)
    out = tf.keras.layers.Dense(1, activation="sigmoid")(x)
    return tf.keras.Model(inp, out)


def main():
    tf.keras.utils.set_random_seed(6)
    x, y = pulses(300, 1)
    model = build()
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(x, y, epochs=4, verbose=2)
    path = os.path.join(tempfile.mkdtemp(prefix="pulse_"), "pulse.keras")
    model.save(path)

    again = tf.keras.models.load_model(path, custom_objects={"BandGate": BandGate})
    x, y = pulses(50, 2)
    print("reloaded:", again.evaluate(x, y, verbose=0))


if __name__ == "__main__":
    main()
