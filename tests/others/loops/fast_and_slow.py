"""Trains one network first with large steps, then with small ones, by a compiled step."""

import numpy as np
import tensorflow as tf

PHASES = [("fast", 5), ("slow", 5)]


class Trainer:
    def __init__(self, network):
        self.network = network
        self.loss = tf.keras.losses.MeanSquaredError()
        self.optimizers = {
            "fast": tf.keras.optimizers.Adam(1e-2),
            "slow": tf.keras.optimizers.Adam(1e-4),
        }

    @tf.function  # <- cause
    def step(self, x, y, phase):
        with tf.GradientTape() as tape:
            value = self.loss(y, self.network(x, training=True))
        variables = self.network.trainable_variables
        gradients = tape.gradient(value, variables)
        self.optimizers[phase].apply_gradients(zip(gradients, variables))  # <- cause
        return value

    def run(self, batches, phases):
        for phase, epochs in phases:
            for _ in range(epochs):
                for x, y in batches:
                    value = self.step(x, y, phase)
            print(phase, float(value))


def waves(count):
    rng = np.random.default_rng(15)
    x = rng.uniform(-3, 3, (count, 1)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, np.sin(x))).batch(50)


def main():
    network = tf.keras.Sequential(
        [tf.keras.layers.Input((1,)), tf.keras.layers.Dense(16, "tanh"), tf.keras.layers.Dense(1)]
    )
    Trainer(network).run(waves(200), PHASES)


if __name__ == "__main__":
    main()
