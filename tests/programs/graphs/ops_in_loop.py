import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, (None, 1000))


def layer(inputs):
    weights = tf.constant(np.eye(1000, dtype="float32"))  # <- cause
    return tf.nn.relu(tf.matmul(inputs, weights))


def main():
    with tf.Session() as sess:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for step in range(100_000):
            sess.run(layer(x), {x: np.ones((1, 1000))})
            print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)


main()
