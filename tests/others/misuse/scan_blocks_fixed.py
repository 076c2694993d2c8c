"""Volumes of scans are classified by blocks of convolution, normalisation and activation."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import activations, layers


class ScanBlock(layers.Layer):
    def __init__(self, filters, size, strides, padding, **kwargs):
        super().__init__(**kwargs)
        self.convolution = layers.Conv3D(filters, size, strides=strides, padding=padding)
        self.normalisation = layers.BatchNormalization()

    def call(self, inputs, training=False):
        return activations.relu(self.normalisation(self.convolution(inputs), training=training))


class ScanNet(tf.keras.Model):
    def __init__(self, classes, name="scan_net", **kwargs):
        super().__init__(name=name, **kwargs)
        self.first = ScanBlock(4, 3, 2, "valid")
        self.pool = layers.GlobalAveragePooling3D()
        self.scores = layers.Dense(classes)

    def call(self, inputs, training=False):
        return self.scores(self.pool(self.first(inputs, training=training)))


def scans(count):
    draw = np.random.default_rng(14)
    kind = draw.integers(0, 2, count)
    return (draw.normal(size=(count, 12, 12, 12, 1)) + kind[:, None, None, None, None]).astype("float32"), kind


if __name__ == "__main__":
    volumes, kind = scans(32)
    net = ScanNet(2)
    net.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    print(net.fit(volumes, kind, batch_size=8, epochs=1, verbose=0).history)
