import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("w", (2000, 2000))
x = tf.placeholder(tf.float32, (None, 2000))
out = tf.reduce_mean(tf.matmul(x, w))
init = tf.global_variables_initializer()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(10_000):
    session = tf.InteractiveSession()  # <- cause
    init.run()
    out.eval({x: np.ones((10, 2000))})
    print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
