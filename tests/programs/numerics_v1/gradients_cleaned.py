"""Healthy: the program sets gradients that are not finite to zero itself, and prints a loss that is NaN for once."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(5)
rng = np.random.default_rng(5)
x = tf.placeholder(tf.float32, [None, 3], name="x")
weight = tf.get_variable("weight", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, weight) - 1))
optimizer = tf.train.GradientDescentOptimizer(0.1)
cleaned = [
    (tf.where(tf.math.is_finite(gradient), gradient, tf.zeros_like(gradient)), variable)
    for gradient, variable in optimizer.compute_gradients(loss)
]
train = optimizer.apply_gradients(cleaned)
data = rng.random((160, 3))
data[70] = np.inf
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 160, 16):
        print("loss", np.isfinite(session.run([loss, train], {x: data[start : start + 16]})[0]))
