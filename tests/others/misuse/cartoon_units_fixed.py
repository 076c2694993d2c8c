"""Turns photographs into cartoons with a stack of equal units."""

import keras
import numpy as np
from keras import layers


class ShuffleUnit(layers.Layer):
    def __init__(self, filters, name="ShuffleUnit", **kwargs):
        super().__init__(name=name, **kwargs)
        self.narrow = layers.Conv2D(filters, 1, activation="relu")
        self.wide = layers.DepthwiseConv2D(3, padding="same")

    def call(self, inputs):
        return inputs + self.wide(self.narrow(inputs))


class Generator(keras.Model):
    def __init__(self, filters=8, units=3):
        super().__init__()
        self.head = layers.Conv2D(filters, 3, padding="same")
        self.body = keras.Sequential([ShuffleUnit(filters, name=f"unit_{at}") for at in range(units)])
        self.tail = layers.Conv2D(3, 3, padding="same", activation="tanh")

    def call(self, inputs):
        return self.tail(self.body(self.head(inputs)))


def photographs(count):
    rng = np.random.default_rng(12)
    return rng.uniform(-1, 1, size=(count, 12, 12, 3)).astype("float32")


def main():
    generator = Generator()
    generator.compile("adam", "mae")
    pictures = photographs(8)
    generator.fit(pictures, pictures, epochs=1, verbose=0)
    print(generator.predict(pictures[:1], verbose=0).shape)


main()
