import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import cv2
import keras
import numpy as np


def make_pictures(folder, count=24):
    draw = np.random.default_rng(1)
    for number in range(count):
        picture = draw.integers(0, 255, (40 + number % 3, 60, 3)).astype("uint8")
        cv2.imwrite(os.path.join(folder, f"street_{number:03}.png"), picture)
    with open(os.path.join(folder, "._street_004.png"), "wb") as file:
        file.write(b"\x00\x05\x16\x07Mac OS X        ")


class CarSequence(keras.utils.PyDataset):
    def __init__(self, folder, batch_size=8, side=32):
        super().__init__()
        self.folder = folder
        self.batch_size = batch_size
        self.side = side
        self.names = sorted(os.listdir(folder))  # <- cause

    def __len__(self):
        return len(self.names) // self.batch_size

    def __getitem__(self, index):
        names = self.names[index * self.batch_size : (index + 1) * self.batch_size]
        batch = np.zeros((len(names), self.side, self.side, 3), "float32")
        boxes = np.zeros((len(names), 4), "float32")
        for row, name in enumerate(names):
            image = cv2.imread(os.path.join(self.folder, name))
            old_shape = image.shape
            batch[row] = cv2.resize(image, (self.side, self.side)) / 255.0
            boxes[row] = (0, 0, old_shape[1] / 60, old_shape[0] / 42)
        return batch, boxes


def detector(side=32):
    model = keras.Sequential([keras.Input((side, side, 3)), keras.layers.Conv2D(4, 3, 2), keras.layers.Flatten()])
    model.add(keras.layers.Dense(4))
    model.compile("adam", "mae")
    return model


folder = tempfile.mkdtemp(prefix="streets-")
make_pictures(folder)
detector().fit(CarSequence(folder), epochs=1, verbose=2)
