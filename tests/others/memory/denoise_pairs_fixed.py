import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

SIDE, NUMBER = 512, 1000


def write(folder):
    rng = np.random.default_rng(11)
    for kind in ("in", "gt"):
        os.mkdir(os.path.join(folder, kind))
    picture = rng.integers(0, 255, (SIDE, SIDE), dtype="uint8")
    for number in range(NUMBER):
        for kind in ("in", "gt"):
            np.save(os.path.join(folder, kind, f"{number}.npy"), picture)


def read(folder, kind, number):
    return np.load(os.path.join(folder, kind, f"{number}.npy")).astype("float32") / 255


class Pairs(keras.utils.PyDataset):
    def __init__(self, folder, batch):
        super().__init__()
        self.batch = batch
        self.folder = folder

    def __len__(self):
        return 10

    def __getitem__(self, index):
        part = range(index * self.batch, (index + 1) * self.batch)
        noisy = np.stack([read(self.folder, "in", number) for number in part])
        clean = np.stack([read(self.folder, "gt", number) for number in part])
        return noisy[..., None], clean[..., None]


with tempfile.TemporaryDirectory() as folder:
    write(folder)
    model = keras.Sequential([keras.Input((SIDE, SIDE, 1)), keras.layers.Conv2D(1, 3, padding="same")])
    model.compile("adam", "mse")
    model.fit(Pairs(folder, 4), epochs=1, verbose=2)
