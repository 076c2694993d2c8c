"""Two signatures through the same net: how far are they apart? Trained with momentum."""

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_resource_variables()

first = v1.placeholder(tf.float32, [None, 20], name="first")
second = v1.placeholder(tf.float32, [None, 20], name="second")
same = v1.placeholder(tf.float32, [None], name="same")

sides = []
with v1.variable_scope(v1.get_variable_scope()):
    for number, picture in enumerate([first, second]):
        if number:
            tf.compat.v1.get_variable_scope().reuse_variables()
        strokes = tf.nn.relu(tf.matmul(picture, v1.get_variable("strokes", [20, 8])))
        sides.append(tf.matmul(strokes, v1.get_variable("code", [8, 2])))

distance = tf.reduce_sum(tf.square(sides[0] - sides[1]), 1)
loss = tf.reduce_mean(tf.square(tf.exp(-distance) - same))
update = v1.train.MomentumOptimizer(0.05, 0.9).minimize(loss)

drawn = np.random.default_rng(6)
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    for _ in range(5):
        feed = {first: drawn.random((8, 20)), second: drawn.random((8, 20)), same: drawn.integers(0, 2, 8)}
        value, _ = session.run([loss, update], feed)
    print(value >= 0)
