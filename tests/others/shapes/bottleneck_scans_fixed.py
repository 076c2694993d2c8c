"""A residual network for scans, with bottleneck blocks as a layer."""

from functools import partial

import keras
import numpy as np
import tensorflow as tf

Conv = partial(keras.layers.Conv2D, padding="same", use_bias=False)


class Bottleneck(keras.layers.Layer):
    def __init__(self, filters, strides=1, **kwargs):
        super().__init__(**kwargs)
        self.main = [
            Conv(filters, 1),
            keras.layers.BatchNormalization(),
            keras.layers.ReLU(),
            Conv(filters, 3, strides=strides),
            keras.layers.BatchNormalization(),
            keras.layers.ReLU(),
            Conv(filters * 4, 1),
        ]
        self.skip = [Conv(filters * 4, 1, strides=strides), keras.layers.BatchNormalization()]

    def call(self, inputs):
        x, short = inputs, inputs
        for layer in self.main:
            x = layer(x)
        for layer in self.skip:
            short = layer(short)
        return tf.nn.relu(x + short)


model = keras.Sequential([keras.layers.Input((32, 32, 1)), Conv(8, 3), keras.layers.ReLU()])
for filters, strides in ((2, 1), (4, 2)):
    model.add(Bottleneck(filters, strides=strides))
model.add(keras.layers.GlobalAveragePooling2D())
model.add(keras.layers.Dense(2, activation="softmax"))
model.compile("adam", "sparse_categorical_crossentropy")
rng = np.random.default_rng(0)
model.fit(rng.random((24, 32, 32, 1)), rng.integers(0, 2, 24), epochs=1, verbose=0)
print("trained")
