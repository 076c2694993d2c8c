"""Has the width of the flat features in a reshape and in the weights behind it."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def weights_of(shape: list[int]) -> tf.Variable:
    return tf.Variable(tf.random.truncated_normal(shape, stddev=0.1))


pictures = np.random.RandomState(0).rand(12, 16, 16, 1).astype("float32")
images = tf.placeholder(tf.float32, [None, 16, 16, 1])
maps = tf.nn.conv2d(images, weights_of([3, 3, 1, 4]), 4, "SAME")
dense = weights_of([4 * 4 * 4, 10])
features = tf.reshape(maps, [-1, 4 * 4 * 4])
scores = tf.matmul(features, dense)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(scores, {images: pictures}).shape)
