"""Spectrograms are read by a NumPy function inside of a tf.data pipeline, and the model cannot be fitted on them."""

import os
import tempfile

import numpy as np
import tensorflow as tf

BANDS, FRAMES = 20, 30


def write_files(folder, count=36, seed=70):
    rng = np.random.default_rng(seed)
    paths, labels = [], []
    for number in range(count):
        path = os.path.join(folder, f"clip_{number:03d}.npy")
        np.save(path, rng.normal(size=(BANDS, FRAMES, 1)).astype("float32"))
        paths.append(path)
        labels.append(number % 3)
    return paths, labels


def read_clip(path):
    clip = np.load(path.decode())
    return (clip - clip.mean()) / (clip.std() + 1e-6)


def load(path, label):
    clip = tf.numpy_function(read_clip, [path], tf.float32)
    clip.set_shape((BANDS, FRAMES, 1))
    return clip, label


def make_dataset(paths, labels, batch_size=12):
    dataset = tf.data.Dataset.from_tensor_slices((paths, labels))
    dataset = dataset.shuffle(len(paths), seed=3)
    dataset = dataset.map(load, num_parallel_calls=2)
    return dataset.batch(batch_size).prefetch(1)


class ClipNet(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.conv = tf.keras.layers.Conv2D(8, 3, activation="relu")
        self.pool = tf.keras.layers.MaxPooling2D(2)
        self.flat = tf.keras.layers.Flatten()
        self.out = tf.keras.layers.Dense(classes, activation="softmax")

    def call(self, clips):
        return self.out(self.flat(self.pool(self.conv(clips))))


with tempfile.TemporaryDirectory() as folder:
    paths, labels = write_files(folder)
    dataset = make_dataset(paths, labels)
    model = ClipNet(classes=3)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(dataset, epochs=2, verbose=0)
    print("loss", [round(v, 3) for v in history.history["loss"]])
