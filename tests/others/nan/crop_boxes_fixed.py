"""Learns the box of a bright thing from crops of pictures."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(2)

SIDE = 96
CROP = 64
CELLS = 8


def draw_scene(rng):
    """A grey picture with one bright thing and the mask of it."""
    image = rng.normal(0.3, 0.05, (SIDE, SIDE)).astype("float32")
    mask = np.zeros((SIDE, SIDE), bool)
    h, w = rng.integers(8, 24, 2)
    y, x = rng.integers(0, SIDE - h), rng.integers(0, SIDE - w)
    mask[y:y + h, x:x + w] = True
    image[mask] += 0.5
    return image, mask


def random_crop(image, mask, rng):
    y, x = rng.integers(0, SIDE - CROP + 1, 2)
    return image[y:y + CROP, x:x + CROP], mask[y:y + CROP, x:x + CROP]


def extract_box(mask):
    rows = np.where(mask.any(axis=1))[0]
    columns = np.where(mask.any(axis=0))[0]
    if len(rows):
        return np.array([rows[0], columns[0], rows[-1] + 1, columns[-1] + 1], "float32")
    return np.zeros(4, "float32")


def box_delta(anchor, box):
    """Shift and log scale that turn the anchor into the box."""
    anchor_size = anchor[2:] - anchor[:2]
    box_size = box[2:] - box[:2]
    anchor_centre = anchor[:2] + 0.5 * anchor_size
    box_centre = box[:2] + 0.5 * box_size
    shift = (box_centre - anchor_centre) / anchor_size
    return np.concatenate([shift, np.log(box_size / anchor_size)])


def batches(batch_size, rng):
    anchor = np.array([16, 16, 48, 48], "float32")
    while True:
        images, deltas = [], []
        while len(images) < batch_size:
            image, mask = random_crop(*draw_scene(rng), rng)
            if not mask.any():
                continue
            images.append(image[..., None])
            deltas.append(box_delta(anchor, extract_box(mask)))
        yield np.stack(images), np.stack(deltas).astype("float32")


def smooth_l1(y_true, y_pred):
    diff = tf.abs(y_true - y_pred)
    small = tf.cast(diff < 1.0, tf.float32)
    return tf.reduce_mean(small * 0.5 * diff ** 2 + (1 - small) * (diff - 0.5), axis=-1)


def main():
    model = keras.Sequential(
        [
            layers.Input((CROP, CROP, 1)),
            layers.Conv2D(8, 3, strides=2, activation="relu"),
            layers.Conv2D(16, 3, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
            layers.Dense(4),
        ]
    )
    model.compile(keras.optimizers.Adam(1e-3), loss=smooth_l1)
    rng = np.random.default_rng(0)
    model.fit(batches(16, rng), steps_per_epoch=40, epochs=3, verbose=2)
    print("trained")


main()
