"""One row is fed where a batch of rows is expected."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rows = np.ones((5, 8), "float32")
features = tf.placeholder(tf.float32, [None, 8], name="features")
doubled = features * 2
with tf.Session() as session:
    session.run(doubled, feed_dict={features: rows[0]})  # <- cause
