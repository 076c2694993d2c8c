import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

BATCH, EPOCHS, ROWS = 256, 2, 2560


def samples(seed=6):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(ROWS, 2048)).astype("float32")
    return x, (x[:, :3].sum(1, keepdims=True) > 0).astype("float32")


class Batches:
    """Gives the batches of an epoch, in a new order each time."""

    def __init__(self, x, y, size):
        self.x, self.y, self.size = x, y, size

    def __len__(self):
        return len(self.x) // self.size

    def __iter__(self):
        order = np.random.permutation(len(self.x))
        for number in range(len(self)):
            rows = order[number * self.size : (number + 1) * self.size]
            yield self.x[rows], self.y[rows]


class Trainer:
    def __init__(self, network, rate):
        self.network = network
        self.optimizer = tf.keras.optimizers.Adam(rate)
        self.loss = tf.keras.losses.BinaryCrossentropy()
        self.mean = tf.keras.metrics.Mean()

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.network(x, training=True))
        gradients = tape.gradient(loss, self.network.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.network.trainable_variables))
        self.mean.update_state(loss)

    def fit(self, batches, epochs):
        for epoch in range(epochs):
            self.mean.reset_state()
            for x, y in batches:
                self.step(x, y)
            tf.print("epoch", epoch, "loss", self.mean.result())


def main():
    layers = [tf.keras.layers.Dense(64, activation="relu") for _ in range(2)]
    network = tf.keras.Sequential([tf.keras.Input((2048,)), *layers, tf.keras.layers.Dense(1, activation="sigmoid")])
    trainer = Trainer(network, 1e-3)
    trainer.optimizer.build(network.trainable_variables)
    trainer.fit(Batches(*samples(), BATCH), EPOCHS)


main()
