import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf


class LinearRegression:
    def __init__(self, lr=0.01, rounds=400):  # <- cause
        self.lr = lr
        self.rounds = rounds

    def fit(self, x, y):
        self.w = tf.Variable(tf.zeros((x.shape[1], 1)))
        self.c = tf.Variable(0.0)
        for _ in range(self.rounds):
            dw, dc = self.gradients(x, y)
            self.w.assign_sub(self.lr * dw)  # <- cause
            self.c.assign_sub(self.lr * dc)  # <- cause
        return self.w.numpy(), float(self.c)

    def gradients(self, x, y):
        with tf.GradientTape() as tape:
            error = tf.matmul(x, self.w) + self.c - y
            loss = tf.reduce_mean(error**2)
        return tape.gradient(loss, [self.w, self.c])


def measured(count=500, seed=45698):
    draw = np.random.default_rng(seed)
    x = draw.random((count, 1)) * 100  # <- cause
    y = 5 * x + 3 + draw.normal(size=(count, 1)) * 0.1
    return x.astype("float32"), y.astype("float32")


def main():
    x, y = measured()
    w, c = LinearRegression().fit(x, y)
    print("slope", w.ravel(), "offset", c)


main()
