"""Damaged records in a pipeline are ignored; a second pipeline ends by an error that the loop takes as its end."""

import os
import tempfile

import tensorflow as tf


def parse(record):
    return tf.io.parse_tensor(record, tf.float32)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "rows.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(20):
            good = tf.io.serialize_tensor(tf.fill([4], float(number))).numpy()
            writer.write(b"damaged" if number % 6 == 5 else good)
    kept = sum(1 for _ in tf.data.TFRecordDataset(path).map(parse).ignore_errors())
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 9)
    rows, steps = iter(tf.data.TFRecordDataset(path)), 0
    while True:
        try:
            next(rows)
            steps += 1
        except (StopIteration, tf.errors.DataLossError):
            break
print("kept", kept, "steps", steps)
