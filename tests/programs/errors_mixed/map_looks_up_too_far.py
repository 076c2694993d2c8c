"""A map looks up an id that the table does not have."""

import tensorflow as tf

table = tf.constant([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
ids = [0, 1, 2, 1, 3, 0]


def look_up(number):
    row = tf.gather(table, number)  # <- cause
    return row * 2.0


for batch in tf.data.Dataset.from_tensor_slices(ids).map(look_up).batch(2):
    print(batch.shape)
