"""Digits with several masks at once: an ensemble within one network."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def generate_masks(channels, count, scale):
    draw = np.random.default_rng(0)
    keep = max(1, round(channels / scale))
    masks = np.zeros((count, channels), "float32")
    for mask in masks:
        mask[draw.choice(channels, keep, replace=False)] = 1.0
    return masks


class MaskEnsemble2D(layers.Layer):
    def __init__(self, count, scale, **kwargs):
        super().__init__(**kwargs)
        self.count, self.scale = count, scale

    def build(self, input_shape):
        masks = generate_masks(input_shape[-1], self.count, self.scale)
        self.masks = self.add_weight("masks", shape=masks.shape, trainable=False, dtype="float32")  # <- cause
        self.masks.assign(masks)
        self.built = True

    def call(self, inputs):
        groups = tf.split(inputs, self.count, axis=0)
        masked = [group * mask for group, mask in zip(groups, tf.unstack(self.masks), strict=True)]
        return tf.concat(masked, axis=0)


model = keras.Sequential(
    [
        keras.Input(shape=(16, 16, 1)),
        layers.Conv2D(8, kernel_size=3, activation="elu"),
        MaskEnsemble2D(4, 2.0),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(10, activation="softmax"),
    ]
)
model.compile(loss="sparse_categorical_crossentropy", optimizer="adam")
rng = np.random.default_rng(7)
model.fit(rng.random((64, 16, 16, 1)).astype("float32"), rng.integers(0, 10, 64), batch_size=32, epochs=1, verbose=2)
