"""Keras 2: a model with a training step of its own and a rate far too large ends in an infinite error."""

import numpy as np
import tensorflow as tf
import tf_keras


class Regressor(tf_keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = tf_keras.layers.Dense(24, activation="relu")
        self.outer = tf_keras.layers.Dense(1)

    def call(self, rows):
        return self.outer(self.inner(rows))

    def train_step(self, data):
        rows, wanted = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(rows, training=True) - wanted) ** 2)
        slopes = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.trainable_variables))
        return {"loss": loss}


tf_keras.utils.set_random_seed(17)
rows = np.random.default_rng(17).normal(size=(256, 10)).astype("float32")
model = Regressor()
model.compile(optimizer=tf_keras.optimizers.SGD(learning_rate=1.5))  # <- cause
model.fit(rows, rows.sum(axis=1, keepdims=True), batch_size=16, epochs=4, verbose=2)
