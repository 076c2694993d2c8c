"""Cell segmentation with a layer that normalises each microscope field."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class ImageNormalization(keras.layers.Layer):
    """Whole-image normalisation: each channel to mean 0 and deviation 1."""

    def __init__(self, norm_method="whole_image", **kwargs):
        super().__init__(**kwargs)
        self.norm_method = norm_method

    def whole_image(self, inputs):
        mean = tf.reduce_mean(inputs, axis=(1, 2), keepdims=True)
        deviation = tf.math.reduce_std(inputs, axis=(1, 2), keepdims=True)
        return (inputs - mean) / (deviation + keras.backend.epsilon())

    def call(self, inputs):
        if self.norm_method == "whole_image":
            return self.whole_image(inputs)
        return inputs


def microscope_fields(count, side=32, seed=21):
    rng = np.random.default_rng(seed)
    fields = rng.normal(900, 40, (count, side, side, 1)).astype(np.float32)
    masks = np.zeros((count, side, side, 1), np.float32)
    for field, mask in zip(fields, masks):
        row, column = rng.integers(2, side - 10, 2)
        field[row : row + 8, column : column + 8] += 600
        mask[row : row + 8, column : column + 8] = 1
    empty = rng.choice(count, 3, replace=False)
    fields[empty], masks[empty] = 0.0, 0.0
    return fields, masks


def segmenter(side=32):
    inputs = keras.Input((side, side, 1))
    x = ImageNormalization()(inputs)
    x = keras.layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    outputs = keras.layers.Conv2D(1, 1, activation="sigmoid")(x)
    return keras.Model(inputs, outputs)


def main():
    fields, masks = microscope_fields(640)
    model = segmenter()
    model.compile(optimizer="adam", loss="binary_crossentropy")
    data = tf.data.Dataset.from_tensor_slices((fields, masks)).batch(16)
    model.fit(data, epochs=3, verbose=2)


if __name__ == "__main__":
    main()
