import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import math

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Normal:
    """The part of a distribution that the loss needs."""

    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def log_prob(self, value):
        z = (value - self.loc) / self.scale
        return -0.5 * z**2 - tf.math.log(self.scale) - 0.5 * math.log(2 * math.pi)


class Forecaster(keras.Model):
    def __init__(self, units=16):
        super().__init__()
        self.hidden = keras.layers.Dense(units, activation="tanh")
        self.loc = keras.layers.Dense(1)
        self.scale = keras.layers.Dense(1)  # <- cause

    def call(self, inputs):
        x = self.hidden(inputs)
        return tf.concat([self.loc(x), self.scale(x)], axis=-1)  # <- cause


def negative_log_likelihood(y, parameters):
    loc, scale = tf.split(parameters, 2, axis=-1)
    return -tf.reduce_mean(Normal(loc, scale).log_prob(y))


def hours(count=800, seed=721):
    draw = np.random.default_rng(seed)
    when = draw.uniform(-1, 1, (count, 3)).astype("float32")
    load = np.sin(2 * when[:, :1]) + 0.2 * draw.normal(size=(count, 1))
    return when, load.astype("float32")


class Trainer:
    def __init__(self, model, rate=5e-3):
        self.model = model
        self.optimizer = keras.optimizers.Adam(rate)

    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = negative_log_likelihood(y, self.model(x))
        if not np.isfinite(loss.numpy()):
            raise ValueError(f"Model diverged with loss = {loss.numpy()}")
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        return float(loss)


def main():
    keras.utils.set_random_seed(15)
    x, y = hours()
    trainer = Trainer(Forecaster())
    for epoch in range(3):
        losses = [trainer.step(x[at : at + 32], y[at : at + 32]) for at in range(0, len(x), 32)]
        print("epoch", epoch, np.mean(losses))


if __name__ == "__main__":
    main()
