"""Trains a coverage map for cars from a folder with images and labels of the same names."""
import os
import tempfile

import numpy as np
import tensorflow as tf
from PIL import Image

WIDTH, HEIGHT, STRIDE = 64, 48, 8


def unpack_archive(folder, count=32):
    """Makes the folder as the archive leaves it."""
    rng = np.random.default_rng(0)
    os.makedirs(os.path.join(folder, "images"))
    os.makedirs(os.path.join(folder, "labels"))
    for i in range(count):
        picture = rng.integers(0, 80, (HEIGHT, WIDTH, 3)).astype("uint8")
        x, y = int(rng.integers(0, WIDTH - 16)), int(rng.integers(0, HEIGHT - 12))
        picture[y:y + 12, x:x + 16] = 220
        Image.fromarray(picture).save(os.path.join(folder, "images", f"{i:06d}.png"))
        with open(os.path.join(folder, "labels", f"{i:06d}.txt"), "w") as f:
            f.write(f"car 0 0 0 {x} {y} {x + 16} {y + 12}\n")
    for name in ("000003", "000017"):
        with open(os.path.join(folder, "images", f"._{name}.png"), "wb") as f:
            f.write(b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ")
        with open(os.path.join(folder, "labels", f"._{name}.txt"), "w") as f:
            f.write("")


def imread(path):
    try:
        return np.asarray(Image.open(path).convert("RGB"))
    except OSError:
        return None


class MobileDetectnetSequence(tf.keras.utils.PyDataset):
    def __init__(self, path, batch_size=8, **kwargs):
        super().__init__(**kwargs)
        self.images_path = os.path.join(path, "images")
        self.labels_path = os.path.join(path, "labels")
        self.names = sorted(os.path.splitext(name)[0] for name in os.listdir(self.images_path)
                            if not name.startswith("."))
        self.batch_size = batch_size

    def __len__(self):
        return len(self.names) // self.batch_size

    def __getitem__(self, idx):
        batch = self.names[idx * self.batch_size:(idx + 1) * self.batch_size]
        x = np.zeros((len(batch), HEIGHT, WIDTH, 3), "float32")
        coverage = np.zeros((len(batch), HEIGHT // STRIDE, WIDTH // STRIDE, 1), "float32")
        for i, name in enumerate(batch):
            image = imread(os.path.join(self.images_path, name + ".png"))
            old_shape = image.shape
            x[i] = image / 127.5 - 1.0
            with open(os.path.join(self.labels_path, name + ".txt")) as f:
                for line in f:
                    x1, y1, x2, y2 = (float(v) for v in line.split()[4:8])
                    rows = slice(int(y1 * HEIGHT / old_shape[0]) // STRIDE, int(y2) // STRIDE + 1)
                    cols = slice(int(x1 * WIDTH / old_shape[1]) // STRIDE, int(x2) // STRIDE + 1)
                    coverage[i, rows, cols] = 1
        return x, coverage


if __name__ == "__main__":
    folder = tempfile.mkdtemp()
    unpack_archive(folder)
    model = tf.keras.Sequential([
        tf.keras.Input((HEIGHT, WIDTH, 3)),
        tf.keras.layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(1, 1, activation="sigmoid"),
    ])
    model.compile("adam", "binary_crossentropy")
    model.fit(MobileDetectnetSequence(folder), epochs=2, verbose=2)
