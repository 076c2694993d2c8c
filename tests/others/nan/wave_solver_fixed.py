"""Learns the solutions of a wave equation."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(7)


class SpectralNet(tf.keras.Model):
    """Learns the solution operator of a small wave equation from samples."""

    def __init__(self, width, size):
        super().__init__()
        self.first = tf.keras.layers.Dense(width, activation="relu")
        self.second = tf.keras.layers.Dense(width, activation="relu")
        self.last = tf.keras.layers.Dense(size, kernel_initializer="zeros")

    def call(self, x):
        return x + self.last(self.second(self.first(x)))


def samples(count, size, rng):
    """Sources and the fields they lead to; without damping at rest the field stays what it was."""
    source = rng.standard_normal((count, size)).astype("float32")
    damping = np.zeros((count, 1), "float32")
    damping[count // 4:] = rng.uniform(0.1, 0.6, (count - count // 4, 1))
    field = (1.0 - damping) * source
    return source, field.astype("float32")


def relative_error(y_true, y_pred):
    squared = tf.reduce_sum(tf.square(y_true - y_pred), axis=1)
    return tf.reduce_mean(squared / tf.reduce_sum(tf.square(y_true), axis=1))


def train(model, x, y, epochs, batch_size, rate):
    optimizer = tf.keras.optimizers.Adam(rate)

    @tf.function
    def step(source, field):
        with tf.GradientTape() as tape:
            loss = relative_error(field, model(source))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for epoch in range(epochs):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = []
        for start in range(0, len(x), batch_size):
            rows = order[start:start + batch_size]
            losses.append(float(step(x[rows], y[rows])))
        print(f"epoch {epoch}: relative error {np.mean(losses):.5f}")


def main():
    rng = np.random.default_rng(0)
    x, y = samples(640, 24, rng)
    model = SpectralNet(48, 24)
    train(model, x, y, 6, 32, 1e-3)
    print("first row:", model(x[:1]).numpy()[0, :3])


main()
