import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf


class DataFlow:
    """Yields the components of one sample after another."""

    def __init__(self, count, seed=3):
        self.count, self.seed = count, seed

    def __iter__(self):
        draw = np.random.default_rng(self.seed)
        for number in range(self.count):
            picture = draw.integers(0, 255, (24, 24, 3)).astype("float32")
            yield [picture, np.int64(number % 4), f"picture_{number}.jpg"]


class MapComponent:
    """A flow whose component at an index goes through a function."""

    def __init__(self, flow, function, index):
        self.flow, self.function, self.index = flow, function, index

    def __iter__(self):
        for components in self.flow:
            components = list(components)
            components[self.index] = self.function(components[self.index])
            yield tuple(components)


def normalised(picture):
    return picture / 255.0


def input_fn(flow, batch):
    kinds = (tf.float32, tf.int64, tf.string)
    shapes = ((24, 24, 3), (), ())
    data = tf.data.Dataset.from_generator(lambda: iter(flow), output_types=kinds, output_shapes=shapes)
    return data.map(lambda picture, label, _: (picture, label)).shuffle(32).batch(batch)


def network():
    model = keras.Sequential([keras.Input((24, 24, 3)), keras.layers.Conv2D(4, 3, strides=2, activation="relu")])
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(4, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def main():
    flow = MapComponent(DataFlow(96), normalised, 0)
    network().fit(input_fn(flow, 16), epochs=1, verbose=2)


main()
