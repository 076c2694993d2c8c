"""Brain volumes with a class for each voxel, from a pipeline that makes the labels one-hot."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class VolumeData:
    def __init__(self, volumes, labels, n_classes):
        self.n_classes = n_classes
        self.dataset = tf.data.Dataset.from_tensor_slices((volumes, labels))

    def normalize(self):
        self.dataset = self.dataset.map(lambda x, y: ((x - tf.reduce_mean(x)) / tf.math.reduce_std(x), y))
        return self

    def map_labels(self):
        if self.n_classes > 1:
            self.dataset = self.dataset.map(lambda x, y: (x, tf.one_hot(tf.cast(y, tf.int32), self.n_classes)))
        return self

    def batch(self, size):
        self.dataset = self.dataset.batch(size, drop_remainder=True)
        return self


def volumes(count=6, side=8, classes=3):
    rng = np.random.default_rng(17)
    scans = rng.normal(size=(count, side, side, side, 1)).astype("float32")
    return scans, rng.integers(0, classes, (count, side, side, side)).astype("float32")


def network(side=8, classes=3):
    inputs = keras.Input((side, side, side, 1))
    x = keras.layers.Conv3D(4, 3, padding="same", activation="relu")(inputs)
    return keras.Model(inputs, keras.layers.Conv3D(classes, 1, activation="softmax")(x))


def main():
    data = VolumeData(*volumes(), n_classes=3).normalize().map_labels().batch(2)
    model = network()
    model.compile("adam", "categorical_crossentropy")
    print("loss", round(model.fit(data.dataset, verbose=0).history["loss"][0], 3))


if __name__ == "__main__":
    main()
