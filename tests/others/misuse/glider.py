import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


class LiftBlock(layers.Layer):
    """Two dense layers with a shortcut."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.first = layers.Dense(units, activation="relu")
        self.second = layers.Dense(units)
        self.shortcut = layers.Dense(units)

    def call(self, x):
        return tf.nn.relu(self.second(self.first(x)) + self.shortcut(x))


class GlidePredictor(tf.keras.Model):
    """Predicts sink rate from wing settings."""

    def __init__(self, n_inputs, units, n_blocks=2, **kwargs):
        super().__init__(**kwargs)
        self.n_inputs = n_inputs
        self.blocks = [LiftBlock(units, name=f"lift_{i}") for i in range(n_blocks)]
        self.drop = layers.Dropout(0.05)
        self.output = layers.Dense(1, name="sink_rate")  # <- cause

    def call(self, x, training=False):
        for block in self.blocks:
            x = block(x)
        return self.output(self.drop(x, training=training))


def wing_tests(n, seed=0):
    rng = np.random.default_rng(seed)
    span = rng.uniform(8, 18, n)
    angle = rng.uniform(-4, 8, n)
    load = rng.uniform(20, 50, n)
    sink = 0.02 * load - 0.03 * span + 0.01 * angle**2 + rng.normal(0, 0.02, n)
    x = np.stack([span / 18, angle / 8, load / 50], axis=1)
    return x.astype("float32"), sink.astype("float32")[:, None]


def main():
    tf.keras.utils.set_random_seed(0)
    x, y = wing_tests(500)
    model = GlidePredictor(n_inputs=x.shape[1], units=24)
    model.compile(optimizer=tf.keras.optimizers.Adam(0.005), loss="mse", metrics=["mae"])
    model.fit(x, y, epochs=5, batch_size=25, validation_split=0.2, verbose=2)


if __name__ == "__main__":
    main()
