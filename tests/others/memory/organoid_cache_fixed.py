import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def imread(name):
    return np.random.default_rng(int(name[5:9])).integers(0, 4000, (512, 512), dtype="uint16")


def normalize(picture, low=1, high=99.8):
    first, last = np.percentile(picture[::8, ::8], (low, high))
    return (picture - first) / (last - first)


class FileData(keras.utils.PyDataset):
    def __init__(self, names, batch):
        super().__init__()
        self.names, self.batch = names, batch

    def __len__(self):
        return len(self.names) // self.batch

    def picture(self, name):
        return normalize(imread(name))

    def __getitem__(self, index):
        names = self.names[index * self.batch : (index + 1) * self.batch]
        x = np.stack([self.picture(one) for one in names])[..., None].astype("float32")
        return x, (x.mean(axis=(1, 2)) > 0.4).astype("float32")


data = FileData([f"file_{number:04}.tif" for number in range(600)], 8)
net = keras.Sequential([keras.Input((512, 512, 1)), keras.layers.AveragePooling2D(64), keras.layers.Flatten()])
net.add(keras.layers.Dense(1, activation="sigmoid"))
net.compile("adam", "binary_crossentropy")
net.fit(data, epochs=1, verbose=2)
