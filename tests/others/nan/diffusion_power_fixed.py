import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Diffusion(keras.Model):
    """u_t = (D(u) u_x)_x, where D grows with a power of u."""

    def __init__(self, width=24):
        super().__init__()
        self.hidden = [keras.layers.Dense(width, activation="tanh") for _ in range(2)]
        self.out = keras.layers.Dense(1)

    def call(self, points):
        for layer in self.hidden:
            points = layer(points)
        return self.out(points)


def diffusivity(u):
    return 0.1 * tf.maximum(u, 1e-6) ** 1.2


def residual(model, points):
    with tf.GradientTape() as outer:
        outer.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            u = model(points)
        slopes = inner.gradient(u, points)
        flow = diffusivity(u) * slopes[:, :1]
    return slopes[:, 1:] - outer.gradient(flow, points)[:, :1]


def fit(model, points, rounds=40):
    optimizer = keras.optimizers.Adam(1e-3)
    for number in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(residual(model, points)))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        if number % 10 == 0:
            print(number, loss.numpy())
    assert not np.isnan(loss.numpy()), "the residual is not a number"


if __name__ == "__main__":
    keras.utils.set_random_seed(6)
    grid = np.random.default_rng(1).random((200, 2)).astype("float32")
    fit(Diffusion(), tf.constant(grid))
