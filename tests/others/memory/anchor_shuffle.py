"""Detector on a grid, for pictures in files with their boxes."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)

SIDE = 160
GRID = 10
PICTURES = 64
BATCH = 8


def write_pictures(folder):
    rng = np.random.default_rng(0)
    lines = []
    for number in range(PICTURES):
        pixels = rng.integers(0, 255, (SIDE, SIDE, 3)).astype("uint8")
        path = os.path.join(folder, f"{number}.jpg")
        tf.io.write_file(path, tf.io.encode_jpeg(pixels))
        boxes = rng.random((3, 4)).astype("float32")
        lines.append((path, boxes))
    return lines


def read(path, boxes):
    image = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.ensure_shape(image, [SIDE, SIDE, 3])
    return image, boxes


def targets(image, boxes):
    cells = tf.cast(boxes[:, :2] * (GRID - 1), tf.int32)
    flags = tf.scatter_nd(cells, tf.ones([tf.shape(boxes)[0]]), [GRID, GRID])
    return image, tf.minimum(flags, 1.0)[..., None]


def build_dataset(lines):
    paths = [path for path, _ in lines]
    boxes = np.stack([box for _, box in lines])
    dataset = tf.data.Dataset.from_tensor_slices((paths, boxes))
    dataset = dataset.map(read, num_parallel_calls=2).map(targets)
    dataset = dataset.repeat().shuffle(7000).batch(BATCH).prefetch(2)  # <- cause
    return dataset


def detector():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((SIDE, SIDE, 3)),
            tf.keras.layers.Conv2D(8, 5, strides=4, padding="same", activation="relu"),
            tf.keras.layers.Conv2D(16, 3, strides=4, padding="same", activation="relu"),
            tf.keras.layers.Conv2D(1, 1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    return model


def main():
    with tempfile.TemporaryDirectory() as folder:
        lines = write_pictures(folder)
        dataset = build_dataset(lines)
        model = detector()
        model.fit(dataset, steps_per_epoch=30, epochs=2, verbose=2)
    print("done")


if __name__ == "__main__":
    main()
