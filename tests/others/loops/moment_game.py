"""Two small networks play: one makes numbers, the other tells them from true ones by their moments."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers


def moments(values):
    mean = np.mean(values)
    spread = values - mean
    std = np.std(values) + 1e-6
    return np.array([mean, std, np.mean((spread / std) ** 3), np.mean((spread / std) ** 4)], "float32")


def mlp(inputs, outputs, last=None):
    return tf.keras.Sequential(
        [tf.keras.Input((inputs,)), layers.Dense(16, "tanh"), layers.Dense(outputs, activation=last)]
    )


class Game:
    def __init__(self, size=50):
        self.size = size
        self.generator = mlp(1, 1)
        self.discriminator = mlp(4, 1, "sigmoid")
        self.optimizers = {"g": tf.keras.optimizers.SGD(0.01), "d": tf.keras.optimizers.SGD(0.01)}
        self.criterion = tf.keras.losses.BinaryCrossentropy()

    def discriminator_step(self, rng):
        true = moments(rng.normal(4.0, 1.25, self.size))
        fake = moments(self.generator(rng.random((self.size, 1))).numpy())
        with tf.GradientTape() as tape:
            decisions = self.discriminator(np.stack([true, fake]))
            error = self.criterion(np.array([[1.0], [0.0]]), decisions)
        self.apply("d", self.discriminator, tape, error)

    def generator_step(self, rng):
        with tf.GradientTape() as tape:
            fake = self.generator(rng.random((self.size, 1)))
            decision = self.discriminator(moments(fake.numpy())[None])  # <- cause
            error = self.criterion(np.array([[1.0]]), decision)
        self.apply("g", self.generator, tape, error)
        return float(error)

    def apply(self, which, network, tape, error):
        gradients = tape.gradient(error, network.trainable_variables)
        self.optimizers[which].apply_gradients(zip(gradients, network.trainable_variables))


if __name__ == "__main__":
    rng, game = np.random.default_rng(0), Game()
    for epoch in range(3):
        game.discriminator_step(rng)
        print("epoch", epoch, "generator", game.generator_step(rng))
