"""Trains a small box regressor with a class head from a simple list of annotations."""
import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf
from PIL import Image

from simple_parser import get_data, read_picture


def make_folder(count=40):
    folder = tempfile.mkdtemp()
    rng = np.random.default_rng(1)
    rows = []
    for i in range(count):
        picture = rng.integers(0, 60, (64, 64, 3)).astype("uint8")
        x, y = rng.integers(2, 30, 2)
        kind = ("bus", "bike")[i % 2]
        picture[y:y + 20, x:x + 20, i % 2] = 240
        name = f"frame_{i}.png"
        Image.fromarray(picture).save(os.path.join(folder, name))
        rows.append((name, x, y, x + 20, y + 20, kind))
    table = pd.DataFrame(rows, columns=["filename", "x1", "y1", "x2", "y2", "class"])
    table.to_csv(os.path.join(folder, "train.txt"), index=False)
    return folder


def to_arrays(all_imgs, class_mapping):
    pictures, boxes, kinds = [], [], []
    for entry in all_imgs:
        pictures.append(read_picture(entry["filepath"]) / 255.0)
        box = entry["bboxes"][0]
        boxes.append([box["x1"] / entry["width"], box["y1"] / entry["height"],
                      box["x2"] / entry["width"], box["y2"] / entry["height"]])
        kinds.append(class_mapping[box["class"]])
    return np.array(pictures, "float32"), np.array(boxes, "float32"), np.array(kinds)


def build(classes):
    inputs = tf.keras.Input((64, 64, 3))
    x = tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu")(inputs)
    x = tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu")(x)
    x = tf.keras.layers.Flatten()(x)
    box = tf.keras.layers.Dense(4, name="box")(x)
    kind = tf.keras.layers.Dense(classes, activation="softmax", name="kind")(x)
    model = tf.keras.Model(inputs, {"box": box, "kind": kind})
    model.compile("adam", {"box": "mse", "kind": "sparse_categorical_crossentropy"})
    return model


folder = make_folder()
all_imgs, classes_count, class_mapping = get_data(os.path.join(folder, "train.txt"))
print("Training images per class:", classes_count)
pictures, boxes, kinds = to_arrays(all_imgs, class_mapping)
model = build(len(class_mapping))
model.fit(pictures, {"box": boxes, "kind": kinds}, epochs=3, batch_size=8, verbose=2)
