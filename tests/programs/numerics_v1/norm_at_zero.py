"""A distance whose gradient is NaN where the two points are the same, with ref variables and `train.run`."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.disable_resource_variables()
tf.set_random_seed(3)
rng = np.random.default_rng(3)

left = tf.placeholder(tf.float32, [None, 5], name="left")
right = tf.placeholder(tf.float32, [None, 5], name="right")
wanted = tf.placeholder(tf.float32, [None], name="wanted")
project = tf.get_variable("project", [5, 3])
apart = tf.matmul(left, project) - tf.matmul(right, project)
distance = tf.sqrt(tf.reduce_sum(tf.square(apart), axis=1))  # <- cause
loss = tf.reduce_mean(tf.square(distance - wanted))
train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)

first = rng.random((400, 5)).astype("float32")
second = rng.random((400, 5)).astype("float32")
second[205] = first[205]
with tf.Session().as_default():
    tf.global_variables_initializer().run()
    for start in range(0, 400, 40):
        train.run({left: first[start : start + 40], right: second[start : start + 40], wanted: np.ones(40)})
    print("project", np.isnan(project.eval()).any())
