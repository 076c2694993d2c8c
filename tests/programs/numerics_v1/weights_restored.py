"""A checkpoint whose weights are NaN already is restored, and training goes on from there."""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rng = np.random.default_rng(6)
x = tf.placeholder(tf.float32, [None, 3], name="x")
first = tf.get_variable("first", [3, 4])
second = tf.get_variable("second", [4, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, first)), second) - 1))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
with tempfile.TemporaryDirectory() as place:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(second.assign(np.full((4, 1), np.nan)))
        path = saver.save(session, f"{place}/model")
    with tf.Session() as session:
        saver.restore(session, path)  # <- cause
        for _ in range(3):
            value, _ = session.run([loss, train], {x: rng.random((8, 3))})  # <- cause
print("loss", value)
