"""A map reshapes what is not always as long."""

import tensorflow as tf

signals = tf.ragged.constant([[1.0] * 6, [2.0] * 6, [3.0] * 5, [1.0] * 6])


def fold(signal):
    return tf.reshape(signal, (2, 3))  # <- cause


data = tf.data.Dataset.from_tensor_slices(signals).map(fold).batch(2)
total = 0.0
for pair in data:
    total += float(tf.reduce_sum(pair))
print(total)
