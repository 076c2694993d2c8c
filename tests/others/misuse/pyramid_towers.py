"""Leaves at three scales: a model whose towers are put together from small blocks."""

import numpy as np
import tensorflow as tf


class Tower(tf.keras.layers.Layer):
    def __init__(self, widths, **kwargs):
        super().__init__(**kwargs)
        self.widths = widths
        self.shrink = tf.keras.layers.MaxPooling2D(2)

    def unit(self, picture, width, training):
        picture = tf.keras.layers.Conv2D(width, 3, padding="same")(picture)  # <- cause
        picture = tf.keras.layers.BatchNormalization()(picture, training=training)
        return tf.nn.relu(picture)

    def call(self, picture, training=False):
        scales = [picture]
        for width in self.widths:
            scales.append(self.shrink(self.unit(scales[-1], width, training)))
        return tf.reduce_mean(scales[-1], axis=[1, 2])


class Leaves(tf.keras.Model):
    def __init__(self, kinds):
        super().__init__()
        self.tower = Tower([4, 8])
        self.answer = tf.keras.layers.Dense(kinds, activation="softmax")

    def call(self, picture, training=False):
        return self.answer(self.tower(picture, training=training))


generator = np.random.default_rng(3)
leaves = generator.random((40, 16, 16, 3), dtype="float32")
kinds = generator.integers(0, 4, 40)
net = Leaves(4)
net.compile("sgd", "sparse_categorical_crossentropy")
net.fit(leaves, kinds, batch_size=10, verbose=0)
print(len(net.trainable_weights), "weights")
