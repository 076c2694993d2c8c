import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from keras import layers

CONFIG = {  # <- cause
    "volume": (128, 128, 128),  # <- cause
    "channels": 1,
    "filters": 16,
    "batch_size": 1,
    "epochs": 1,
}


def block(x, filters):
    for _ in range(2):
        x = layers.Conv3D(filters, 3, padding="same", activation="relu")(x)
    return x


def unet(config):
    scan = keras.Input((*config["volume"], config["channels"]))
    first = block(scan, config["filters"])
    x = layers.MaxPooling3D()(first)
    x = block(x, 2 * config["filters"])
    x = layers.UpSampling3D()(x)
    x = layers.Concatenate()([x, first])
    x = block(x, config["filters"])
    return keras.Model(scan, layers.Conv3D(1, 1, activation="sigmoid")(x))


class Scans(keras.utils.PyDataset):
    """Scans and masks; stands for files of a hospital."""

    def __init__(self, count, config):
        super().__init__()
        self.count, self.config = count, config

    def __len__(self):
        return self.count // self.config["batch_size"]

    def __getitem__(self, number):
        draw = np.random.default_rng(number)
        shape = (self.config["batch_size"], *self.config["volume"], self.config["channels"])
        scan = draw.normal(size=shape).astype("float32")
        return scan, (scan > 1).astype("float32")


def main(config=CONFIG):
    network = unet(config)
    network.compile(keras.optimizers.Adam(1e-4), "binary_crossentropy")
    network.fit(Scans(4, config), epochs=config["epochs"], verbose=2)


main()
