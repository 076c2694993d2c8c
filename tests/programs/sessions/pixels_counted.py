"""Declares a placeholder for the pixels that the pictures have."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
SIDE = 8
PIXELS = SIDE * SIDE
pictures = np.random.RandomState(0).rand(20, SIDE * SIDE).astype("float32")

flat = tf.placeholder(tf.float32, [None, PIXELS])
kernel = tf.get_variable("kernel", [3, 3, 1, 2])
maps = tf.nn.conv2d(tf.reshape(flat, [-1, SIDE, SIDE, 1]), kernel, 1, "SAME")
bright = tf.reduce_mean(maps)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(bright, {flat: pictures}))
