import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
opened = []


def score(batch):
    with tf.Graph().as_default():
        w = tf.get_variable("w", (2000, 2000))
        x = tf.placeholder(tf.float32, (None, 2000))
        out = tf.reduce_mean(tf.matmul(x, w))
        sess = tf.Session()  # <- cause
        opened.append(sess)
        sess.run(tf.global_variables_initializer())
        return sess.run(out, {x: batch})


before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(10_000):
    score(np.ones((10, 2000)))
    print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
