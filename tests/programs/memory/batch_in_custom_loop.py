"""A training loop of its own, with a traced step, over batches that are too large for the memory."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import tensorflow as tf

ROWS = 10_000


class Waves(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=[1, 1, 96], initializer="glorot_uniform")

    def call(self, inputs):
        return tf.reduce_mean(tf.tanh(inputs[:, :, None] * self.scale), 2)


class Regressor(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Waves() for _ in range(6)]
        self.head = keras.layers.Dense(5)

    def call(self, inputs):
        for block in self.blocks:
            inputs = block(inputs)
        return self.head(inputs)


def batches(size):
    rows = tf.data.Dataset.from_tensor_slices((tf.random.normal([2 * ROWS, 64]), tf.random.normal([2 * ROWS, 5])))
    return rows.batch(size)  # <- cause


model = Regressor()
optimizer = keras.optimizers.SGD(0.01)


@tf.function
def train_step(inputs, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(inputs, training=True) - targets))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for inputs, targets in batches(ROWS):  # <- cause
    loss = train_step(inputs, targets)  # <- cause
print(float(loss))
