"""Boxes from a detector's grid: the raw numbers of the network become centres, sizes and scores."""

import numpy as np
import tensorflow as tf

CELLS, ANCHORS, STRIDE = 4, 2, 16


def network():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((64, 64, 3)),
            tf.keras.layers.Conv2D(8, 3, strides=4, padding="same", activation="relu"),
            tf.keras.layers.Conv2D(ANCHORS * 5, 3, strides=4, padding="same"),
        ]
    )


def grid_offsets():
    rows, columns = np.meshgrid(np.arange(CELLS), np.arange(CELLS), indexing="ij")
    cells = np.stack([columns, rows], axis=-1).reshape(-1, 2)
    return np.repeat(cells, ANCHORS, axis=0)[None].astype("float32")


def transform(raw, anchors):
    prediction = tf.reshape(raw, [-1, CELLS * CELLS * ANCHORS, 5])  # <- cause
    sizes = np.tile(anchors, (CELLS * CELLS, 1))[None]
    prediction[:, :, 0:2] = (tf.sigmoid(prediction[:, :, 0:2]) + grid_offsets()) * STRIDE  # <- cause
    prediction[:, :, 2:4] = tf.exp(prediction[:, :, 2:4]) * sizes
    prediction[:, :, 4] = tf.sigmoid(prediction[:, :, 4])
    return prediction


def main():
    tf.keras.utils.set_random_seed(2)
    pictures = np.random.default_rng(5).random((3, 64, 64, 3)).astype("float32")
    anchors = np.array([[10, 14], [23, 27]], "float32")
    boxes = transform(network()(pictures), anchors)
    print("best scores", np.round(np.max(boxes[..., 4], axis=1), 2))


if __name__ == "__main__":
    main()
