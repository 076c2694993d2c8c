import argparse
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--input-size", type=int, default=96)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=1)
    return parser.parse_args([])


class GarbageDataset(keras.utils.PyDataset):
    def __init__(self, flags, count):
        super().__init__()
        self.flags, self.count = flags, count

    def __len__(self):
        return self.count // self.flags.batch_size

    def __getitem__(self, number):
        rng = np.random.default_rng(number)
        side = self.flags.input_size
        pictures = rng.random((self.flags.batch_size, side, side, 3), dtype="float32")
        return pictures, rng.integers(0, 40, self.flags.batch_size)


def network(flags):
    inputs = x = keras.Input((flags.input_size, flags.input_size, 3))
    for filters in (32, 32, 48):
        x = keras.layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    model = keras.Model(inputs, keras.layers.Dense(40, activation="softmax")(x))
    optimizer = keras.optimizers.Adam(learning_rate=flags.learning_rate)
    model.compile(optimizer=optimizer, loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    flags = options()
    network(flags).fit(GarbageDataset(flags, 128), epochs=flags.epochs, verbose=2)
