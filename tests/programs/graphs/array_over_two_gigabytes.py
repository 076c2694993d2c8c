import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
images = np.zeros((600_000, 1000), "float32")
batch = tf.constant(images)  # <- cause
with tf.Session() as sess:
    sess.run(tf.reduce_mean(batch))
