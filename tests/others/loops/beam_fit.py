"""Fits the bending of a beam to measured points: a variable, a loss of several terms, a tape."""

import numpy as np
import tensorflow as tf

LENGTH = 1.0
SENSORS = 15


def measured():
    rng = np.random.default_rng(26)
    x = np.linspace(0, LENGTH, SENSORS)
    return x, 0.4 * x**2 - 0.1 * x**3 + rng.normal(0, 0.002, SENSORS)


def deflection(coefficients, x):
    return coefficients[0] * x**2 + coefficients[1] * x**3


def smoothness(values):
    steps = values[1:] - values[:-1]
    return np.sum((steps[1:] - steps[:-1]) ** 2)


def loss_function(coefficients, x, y):
    curve = deflection(coefficients, x)
    misfit = np.mean((curve - y) ** 2)
    clamped = (curve[0] - 0.0) ** 2
    return tf.convert_to_tensor(misfit + 0.1 * clamped + 0.01 * smoothness(curve), tf.float32)


class Fit:
    def __init__(self, rate=0.05):
        self.coefficients = tf.Variable([0.1, 0.1])
        self.optimizer = tf.keras.optimizers.Adam(rate)

    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = loss_function(self.coefficients.numpy(), x, y)  # <- cause
        gradients = tape.gradient(loss, [self.coefficients])
        self.optimizer.apply_gradients(zip(gradients, [self.coefficients]))
        return float(loss)

    def run(self, steps):
        x, y = measured()
        for number in range(steps):
            loss = self.step(x, y)
            if number % 20 == 0:
                print(number, round(loss, 6))
        return self.coefficients.numpy()


if __name__ == "__main__":
    print(Fit().run(61))
