"""Boxes and classes of pictures, padded to the same number for each picture in a tf.data pipeline."""

import numpy as np
import tensorflow as tf

MOST = 12


def samples():
    rng = np.random.default_rng(9)
    for _ in range(10):
        boxes = int(rng.integers(1, MOST))
        yield (
            rng.random((8, 8, 3)).astype("float32"),
            rng.random((boxes, 4)).astype("float32"),
            rng.integers(0, 5, boxes),
        )


def pad_labels(picture, boxes, classes):
    missing = MOST - tf.shape(boxes)[0]
    boxes = tf.pad(boxes, [[0, missing], [0, 0]], constant_values=0.0)
    classes = tf.pad(classes, [[0, missing], [0, 0]], constant_values=-1)  # <- cause
    return picture, (tf.reshape(boxes, [MOST, 4]), tf.reshape(classes, [MOST]))


def pipeline(batch):
    signature = (
        tf.TensorSpec((8, 8, 3), tf.float32),
        tf.TensorSpec((None, 4), tf.float32),
        tf.TensorSpec((None,), tf.int64),
    )
    data = tf.data.Dataset.from_generator(samples, output_signature=signature)
    return data.map(pad_labels, num_parallel_calls=2).batch(batch).prefetch(1)


def main():
    for pictures, (boxes, classes) in pipeline(4):
        print(pictures.shape, boxes.shape, "objects", int(tf.reduce_sum(tf.cast(classes >= 0, tf.int32))))


if __name__ == "__main__":
    main()
