"""A v1 session multiplies what was fed with weights of another height."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
features = tf.compat.v1.placeholder(tf.float32, [None, None], name="features")
weights = tf.compat.v1.get_variable("weights", [5, 2])
scores = tf.matmul(features, weights)  # <- cause
with tf.compat.v1.Session() as session:
    session.run(tf.compat.v1.global_variables_initializer())
    print(session.run(scores, {features: np.ones((3, 4), "float32")}))
