"""Leaves at three scales: a model whose towers are put together from small blocks."""

import numpy as np
import tensorflow as tf


class Tower(tf.keras.layers.Layer):
    def __init__(self, widths, **kwargs):
        super().__init__(**kwargs)
        self.widths = widths
        self.convs = [tf.keras.layers.Conv2D(width, 3, padding="same") for width in widths]
        self.norms = [tf.keras.layers.BatchNormalization() for _ in widths]
        self.shrink = tf.keras.layers.MaxPooling2D(2)

    def unit(self, picture, conv, norm, training):
        return tf.nn.relu(norm(conv(picture), training=training))

    def call(self, picture, training=False):
        scales = [picture]
        for conv, norm in zip(self.convs, self.norms):
            scales.append(self.shrink(self.unit(scales[-1], conv, norm, training)))
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
