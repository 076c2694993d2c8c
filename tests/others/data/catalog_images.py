import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

IMAGE_DIR = "catalog"
CATEGORIES = ["mug", "plate", "bowl"]
BATCH = 8


def write_catalog(per_category=8):
    rng = np.random.default_rng(5)
    os.makedirs(IMAGE_DIR, exist_ok=True)
    rows = []
    for label, category in enumerate(CATEGORIES):
        for k in range(per_category):
            h, w = rng.integers(40, 72, size=2)
            pixels = rng.integers(0, 120, size=(h, w, 3)) + 45 * label
            path = os.path.join(IMAGE_DIR, f"{category}_{k:02d}.jpg")
            data = tf.io.encode_jpeg(tf.constant(pixels.astype("uint8")))
            tf.io.write_file(path, data)
            rows.append((path, label))
    rng.shuffle(rows)
    return [r[0] for r in rows], [int(r[1]) for r in rows]


class CatalogData:
    def __init__(self, paths, labels, batch_size):
        self.paths = paths
        self.labels = labels
        self.batch_size = batch_size

    def _load(self, path, label):  # <- cause
        raw = tf.io.read_file(path)
        image = tf.io.decode_jpeg(raw, channels=3)
        image = tf.image.convert_image_dtype(image, tf.float32)
        return image, label  # <- cause

    def dataset(self):
        ds = tf.data.Dataset.from_tensor_slices((self.paths, self.labels))
        ds = ds.map(self._load, num_parallel_calls=2)
        ds = ds.shuffle(32, seed=1).batch(self.batch_size)  # <- cause
        return ds.prefetch(1)


def build_classifier():
    model = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(None, None, 3)),
            tf.keras.layers.Conv2D(8, 3, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(len(CATEGORIES)),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss=loss, metrics=["accuracy"])
    return model


if __name__ == "__main__":
    paths, labels = write_catalog()
    data = CatalogData(paths, labels, BATCH)
    model = build_classifier()
    history = model.fit(data.dataset(), epochs=2, verbose=0)
    print("loss per epoch:", [round(v, 3) for v in history.history["loss"]])
