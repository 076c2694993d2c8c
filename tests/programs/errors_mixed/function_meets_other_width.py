"""A step that is traced once runs with rows of another length."""

import tensorflow as tf

weights = tf.Variable(tf.ones((6, 2)))


@tf.function(input_signature=[tf.TensorSpec((None, None), tf.float32)])
def score(rows):
    scaled = rows / 2.0
    return tf.reduce_sum(tf.matmul(scaled, weights))  # <- cause


for width in (6, 6, 5):
    print(float(score(tf.ones((3, width)))))
