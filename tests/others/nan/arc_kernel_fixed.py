import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

JITTER = 1e-15


class ArcCosine:
    """The kernel of an infinite network with one hidden layer."""

    def __init__(self, columns):
        self.variance = tf.Variable(1.0, dtype=tf.float64, name="variance")
        self.weights = tf.Variable(np.ones(columns), name="weights")
        self.bias = tf.Variable(1.0, dtype=tf.float64, name="bias")

    def product(self, left, right):
        return tf.matmul(left * self.weights, right, transpose_b=True) + self.bias

    def matrix(self, points):
        length = tf.sqrt(tf.reduce_sum(self.weights * points**2, axis=1) + self.bias)
        cosine = self.product(points, points) / length[:, None] / length[None, :]
        theta = tf.acos(JITTER + (1 - 1e-9) * tf.clip_by_value(cosine, -1.0, 1.0))
        return self.variance / np.pi * (np.pi - theta)


def objective(kernel, points, values, noise=0.1):
    covariance = kernel.matrix(points) + noise * tf.eye(len(points), dtype=tf.float64)
    factor = tf.linalg.cholesky(covariance)
    solved = tf.linalg.triangular_solve(factor, values)
    return 0.5 * tf.reduce_sum(solved**2) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))


rng = np.random.RandomState(23)
points = rng.rand(12, 1)
values = np.sin(3 * points) + 0.1 * rng.randn(12, 1)
kernel = ArcCosine(points.shape[1])
parameters = [kernel.variance, kernel.weights, kernel.bias]
with tf.GradientTape() as tape:
    cost = objective(kernel, points, values)
slopes = tape.gradient(cost, parameters)
print("objective", float(cost))
for parameter, slope in zip(parameters, slopes):
    print(parameter.name, slope.numpy())
