"""Fit the centre and width of a pulse to a measured trace by gradient descent."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

GRID = np.linspace(-1.0, 1.0, 81).astype("float32")


def measured_trace(centre=0.2, width=0.15, seed=4):
    rng = np.random.default_rng(seed)
    clean = np.exp(-((GRID - centre) ** 2) / (2 * width ** 2))
    return (clean + rng.normal(0, 0.01, GRID.shape)).astype("float32")


class PulseModel:
    def __init__(self, centre=0.0, width=0.3):
        self.params = tf.Variable([centre, width], dtype=tf.float32)

    def __call__(self):
        centre, width = tf.unstack(self.params)
        return tf.exp(-tf.square(GRID - centre) / (2.0 * tf.square(width)))


def smoothness_penalty(trace):
    return np.mean(np.diff(trace) ** 2)  # <- cause


def centroid(trace):
    return np.sum(GRID * trace) / np.sum(trace)  # <- cause


def trace_loss(predicted, target):
    misfit = np.mean((predicted - target) ** 2)  # <- cause
    drift = (centroid(predicted) - centroid(target)) ** 2
    return tf.convert_to_tensor(misfit + 0.1 * drift + 1e-3 * smoothness_penalty(predicted))  # <- cause


class Fitter:
    def __init__(self, model, learning_rate=0.02):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam(learning_rate)
        self.losses = []

    def step(self, target):
        with tf.GradientTape() as tape:
            predicted = self.model()
            loss = trace_loss(predicted.numpy(), target)  # <- cause
        variables = [self.model.params]
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables))
        self.losses.append(float(loss))
        return self.losses[-1]

    def fit(self, target, steps=60):
        for i in range(steps):
            loss = self.step(target)
            if i % 20 == 0:
                print("step %3d loss %.5f" % (i, loss))
        return self.model.params.numpy()


def main():
    tf.random.set_seed(4)
    target = measured_trace()
    fitter = Fitter(PulseModel())
    centre, width = fitter.fit(target)
    print("centre %.3f width %.3f" % (centre, width))


if __name__ == "__main__":
    main()
