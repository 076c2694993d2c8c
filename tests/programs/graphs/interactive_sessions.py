import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
w = tf.get_variable("w", (2000, 2000))
x = tf.placeholder(tf.float32, (None, 2000))
out = tf.reduce_mean(tf.matmul(x, w))
init = tf.global_variables_initializer()
for _ in range(10_000):
    session = tf.InteractiveSession()  # <- cause
    init.run()
    out.eval({x: np.ones((10, 2000))})
