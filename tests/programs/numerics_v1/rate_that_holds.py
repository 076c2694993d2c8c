"""The healthy twin: the same regression with a learning rate that it bears."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(2)
rng = np.random.default_rng(2)
x = tf.placeholder(tf.float32, [None, 20], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
hidden = tf.matmul(x, tf.get_variable("hidden", [20, 8]))
output = tf.squeeze(tf.matmul(hidden, tf.get_variable("output", [8, 1])), 1)
loss = tf.losses.mean_squared_error(y, output)
train = tf.train.GradientDescentOptimizer(0.0005).minimize(loss)

data = rng.normal(size=(500, 20)) * 3
target = data.sum(axis=1)
session = tf.InteractiveSession()
tf.global_variables_initializer().run()
for _ in range(40):
    rows = rng.integers(0, 500, 50)
    _, value = session.run([train, loss], {x: data[rows], y: target[rows]})
print("loss", value < 1000)
