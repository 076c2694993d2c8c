import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

PHOTO_DIR = "leaf_photos"
SIDE = 24
CLASSES = ["round", "long"]


def write_photos(count=24):
    rng = np.random.default_rng(19)
    os.makedirs(PHOTO_DIR, exist_ok=True)
    paths, labels = [], []
    for i in range(count):
        label = i % len(CLASSES)
        height, width = rng.integers(28, 60, size=2)
        photo = rng.integers(0, 90, size=(height, width, 3))
        if label == 0:
            photo[height // 4 : -height // 4, width // 4 : -width // 4, 1] += 120
        else:
            photo[:, width // 2 - 3 : width // 2 + 3, 1] += 120
        path = os.path.join(PHOTO_DIR, "%s_%02d.png" % (CLASSES[label], i))
        tf.io.write_file(path, tf.io.encode_png(photo.astype("uint8")))
        paths.append(path)
        labels.append(label)
    return paths, labels


class PhotoDataset:
    def __init__(self, paths, labels, batch_size):
        self.paths = paths
        self.labels = labels
        self.batch_size = batch_size

    def parse(self, path, label):
        photo = tf.io.decode_png(tf.io.read_file(path), channels=3)
        photo = tf.cast(photo, tf.float32) / 255.0
        photo = tf.image.resize(photo, [SIDE, SIDE])
        return photo, label

    def build(self):
        ds = tf.data.Dataset.from_tensor_slices((self.paths, self.labels))
        ds = ds.shuffle(len(self.paths), seed=19)
        ds = ds.map(self.parse)
        return ds.batch(self.batch_size).prefetch(1)


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=(None, None, 3)),
            tf.keras.layers.Conv2D(8, 3, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(len(CLASSES), activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(19)
    paths, labels = write_photos()
    data = PhotoDataset(paths, labels, batch_size=6).build()
    build_model().fit(data, epochs=2, verbose=2)
