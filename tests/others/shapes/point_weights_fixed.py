"""Points in the plane, each with a weight: the three numbers go into a small network together."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

POINTS = 256


class Cloud:
    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.points = tf.constant(rng.normal(size=(count, 2)), tf.float32)
        self.weights = tf.constant(rng.random(count), tf.float32)
        self.heights = tf.constant(rng.normal(size=(count, 1)), tf.float32)

    def features(self):
        return layers.Concatenate(axis=-1)([tf.reshape(self.weights, [-1, 1]), self.points])


def surface():
    return tf.keras.Sequential([layers.Dense(16, activation="tanh"), layers.Dense(1)])


def fit(cloud, steps):
    model, optimizer = surface(), tf.keras.optimizers.SGD(0.01)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            error = tf.reduce_mean(tf.square(model(cloud.features()) - cloud.heights))
        gradients = tape.gradient(error, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return float(error)


if __name__ == "__main__":
    print("mean squared error", round(fit(Cloud(POINTS, 5), 5), 3))
