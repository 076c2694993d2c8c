import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras


class DiscProblem:
    """-(u_xx + u_yy) = f on a square, trained on the residual."""

    def __init__(self, width=20, side=11):
        self.net = keras.Sequential(
            [keras.Input((2,)), keras.layers.Dense(width, activation="tanh"), keras.layers.Dense(1)]
        )
        axis = np.linspace(-1.0, 1.0, side, dtype="float32")
        self.points = tf.constant(np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2))
        self.optimizer = keras.optimizers.Adam(1e-3)

    def forcing(self, points):
        x, y = points[:, 0:1], points[:, 1:2]
        return 3.0 * (2.0 * x**2 + y**2) / tf.sqrt(x**2 + y**2 + 1e-8)

    def laplacian(self, points):
        with tf.GradientTape() as outer:
            outer.watch(points)
            with tf.GradientTape() as inner:
                inner.watch(points)
                u = self.net(points)
            slope = inner.gradient(u, points)
        return tf.reduce_sum(outer.batch_jacobian(slope, points), axis=[1, 2], keepdims=True)[:, 0]

    @tf.function
    def step(self):
        with tf.GradientTape() as tape:
            residual = self.laplacian(self.points) + self.forcing(self.points)
            loss = tf.reduce_mean(tf.square(residual))
        weights = self.net.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss


def main():
    keras.utils.set_random_seed(2)
    problem = DiscProblem()
    for number in range(60):
        loss = problem.step()
        if number % 20 == 0:
            print(f"iteration {number}: residual {float(loss):.5f}")


if __name__ == "__main__":
    main()
