import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

table = np.random.rand(1000, 1000).astype("float32")


@tf.function
def scaled(x, factor, training):
    total = tf.reduce_sum(x @ table) * factor
    return total * 2.0 if training else total


for step in range(300):
    scaled(tf.ones((1 + step % 3, 1000)), tf.constant(step, tf.float32), step % 2 == 0)
