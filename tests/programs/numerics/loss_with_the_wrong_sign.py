"""The error is made as large as it can be: a minus sign too many, and no rate is small enough."""

import numpy as np
import tensorflow as tf


def similarity(wanted, given):
    return -tf.reduce_mean(tf.square(wanted - given))  # <- cause


class Trainer:
    def __init__(self, model, rate):
        self.model = model
        self.optimizer = tf.keras.optimizers.SGD(rate)

    @tf.function
    def step(self, rows, wanted):
        with tf.GradientTape() as tape:
            loss = similarity(wanted, self.model(rows, training=True))
        slopes = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.model.trainable_variables))
        return loss


tf.keras.utils.set_random_seed(10)
draw = np.random.default_rng(10)
rows = tf.constant(draw.normal(size=[64, 4]).astype("float32"))
wanted = tf.constant(draw.normal(size=[64, 1]).astype("float32"))
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
trainer = Trainer(model, 0.1)
for number in range(6000):
    loss = trainer.step(rows, wanted)
    if number % 500 == 0:
        print(number, float(loss))
