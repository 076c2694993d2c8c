"""Learns boxes from a CSV file of annotations, with several workers."""

import csv
import os
import tempfile
import time

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(0)
SIDE = 48


def write_annotations(path, count):
    rng = np.random.default_rng(0)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        for number in range(count):
            x, y, w, h = rng.uniform(0.1, 0.5, 4).round(3)
            writer.writerow([f"image{number}.png", x, y, w, h])


def read_annotations(path):
    with open(path, newline="") as file:
        return [(row[0], np.array(row[1:], "float32")) for row in csv.reader(file)]


def load_image(name, box):
    time.sleep(0.01)
    image = np.zeros((SIDE, SIDE, 1), "float32")
    x, y, w, h = (box * SIDE).astype(int)
    image[y:y + h, x:x + w] = 1.0
    return image


def box_batches(rows, batch_size):
    while True:
        for start in range(0, len(rows), batch_size):
            part = rows[start:start + batch_size]
            images = np.stack([load_image(name, box) for name, box in part])
            yield images, np.stack([box for _, box in part])


class CSVGenerator(keras.utils.PyDataset):
    """Batches of the annotated images of a CSV file."""

    def __init__(self, path, batch_size, **kwargs):
        super().__init__(**kwargs)
        self.rows = read_annotations(path)
        self.batch_size = batch_size
        self.source = box_batches(self.rows, batch_size)  # <- cause

    def __len__(self):
        return len(self.rows) // self.batch_size

    def __getitem__(self, index):
        return next(self.source)  # <- cause


def main():
    model = keras.Sequential(
        [
            layers.Input((SIDE, SIDE, 1)),
            layers.Conv2D(8, 3, strides=2, activation="relu"),
            layers.Conv2D(16, 3, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(4),
        ]
    )
    model.compile("adam", "mse")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "annotations.csv")
        write_annotations(path, 320)
        generator = CSVGenerator(path, 16, workers=8, max_queue_size=16)
        model.fit(generator, epochs=2, verbose=2)
    print("trained")


if __name__ == "__main__":
    main()
