"""A training loop of its own whose optimizer gets pairs of a gradient and its variable."""

import numpy as np
import tensorflow as tf


class Trainer:
    def __init__(self, model, rate):
        self.model = model
        self.optimizer = tf.keras.optimizers.SGD(rate)
        self.loss = tf.keras.losses.MeanSquaredError()

    def step(self, x, y):
        with tf.GradientTape() as tape:
            error = self.loss(y, self.model(x))
        gradients = tape.gradient(error, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        return float(error)


rng = np.random.default_rng(3)
x = rng.normal(size=(64, 5)).astype("float32")
trainer = Trainer(tf.keras.Sequential([tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)]), 0.01)
for _ in range(3):
    print(trainer.step(x, x[:, :1]))
