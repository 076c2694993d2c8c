"""An op that aborts in a thread of the input pipeline, where no Python runs; the main thread waits for a row."""

import tensorflow as tf


def split(row):
    zero = tf.constant(0, dtype=tf.int64)
    index = tf.constant([0], dtype=tf.int64)
    row = tf.reshape(row, [1])
    return tf.raw_ops.Unbatch(batched_tensor=row, batch_index=index, id=zero, timeout_micros=0)  # <- cause


rows = tf.data.Dataset.range(8).map(split, num_parallel_calls=2)
for row in rows:
    print(row)
