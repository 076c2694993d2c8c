"""A tape is kept for each step, and with it every tensor of the forward pass, which no Python object holds."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf

weights = [tf.Variable(tf.random.normal((500, 500), stddev=0.05)) for _ in range(4)]


class Trainer:
    def __init__(self):
        self.tapes = []

    def step(self, x):
        with tf.GradientTape(persistent=True) as tape:
            for weight in weights:
                x = tf.tanh(x @ weight)
            loss = tf.reduce_mean(x**2)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.1 * gradient)
        self.tapes.append(tape)  # <- cause


trainer = Trainer()
for _ in range(2000):
    trainer.step(tf.random.normal((500, 500)))
