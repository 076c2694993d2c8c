"""A train_step of one's own takes three things out of what has two."""

import keras
import numpy as np
import tensorflow as tf


class Weighted(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1)

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        x, y, weight = data  # <- cause
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(weight * tf.square(y - self(x, training=True)))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


x = np.ones((32, 3), "float32")
model = Weighted()
model.compile(optimizer="sgd")
model.fit(x, np.ones((32, 1), "float32"), verbose=0)
