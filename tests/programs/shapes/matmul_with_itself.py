"""A batch of matrices that are not square is multiplied with itself."""

import tensorflow as tf


def gram(batch):
    return tf.matmul(batch, batch)  # <- cause


points = tf.ones([100, 100, 3])
print(gram(points).shape)
