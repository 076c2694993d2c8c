import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

table = np.random.rand(1000, 1000).astype("float32")


@tf.function
def scaled(x, factor):
    return tf.reduce_sum(x @ table) * factor


total = 0.0
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for step in range(100_000):
    total += float(scaled(tf.ones((1, 1000)), step))  # <- cause
    print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
