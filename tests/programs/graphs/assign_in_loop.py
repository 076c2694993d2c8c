import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
table = tf.get_variable("table", (1500, 1000), initializer=tf.zeros_initializer())
sess = tf.Session()
sess.run(tf.global_variables_initializer())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for epoch in range(10_000):
    values = np.full((1500, 1000), epoch, "float32")
    sess.run(table.assign(values))  # <- cause
    print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
