"""A session whose loop looks at the loss, and begins again with a smaller rate when it is not finite."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rng = np.random.default_rng(2)
rows = rng.normal(size=(64, 5)).astype("float32") * 30
wanted = rows.sum(axis=1, keepdims=True)

x, y = tf.placeholder(tf.float32, (None, 5)), tf.placeholder(tf.float32, (None, 1))
rate = tf.placeholder(tf.float32, ())
weights = tf.get_variable("weights", (5, 1))
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
train = tf.train.GradientDescentOptimizer(rate).minimize(loss)

with tf.Session() as session:
    for value in (1.0, 1e-4):
        session.run(tf.global_variables_initializer())
        for _ in range(100):
            now, _ = session.run([loss, train], {x: rows, y: wanted, rate: value})
            if np.isnan(now) or np.isinf(now):
                print("diverged at", value)
                break
        else:
            print("trained at", value)
