import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
images = np.random.rand(1000, 1000).astype("float32")
w = tf.Variable(tf.zeros((1000, 10)))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10_000):
        batch = tf.convert_to_tensor(images)  # <- cause
        logits = tf.matmul(batch, w)
        sess.run(logits)
        print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
