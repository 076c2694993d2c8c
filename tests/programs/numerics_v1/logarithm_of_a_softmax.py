"""The cross entropy written out in a session, at a rate of 0.5: the softmax reaches 0, and its logarithm is the cause."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
draw = np.random.RandomState(22)
images = draw.randint(0, 256, (600, 49)).astype("float32") / 25
digits = np.eye(10, dtype="float32")[draw.randint(0, 10, 600)]

x = tf.placeholder(tf.float32, [None, 49])
y_ = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([49, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.nn.softmax(tf.matmul(x, W) + b)
cross_entropy = -tf.reduce_mean(tf.reduce_sum(y_ * tf.log(y), axis=1))  # <- cause
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(60):
    at = 100 * (i % 6)
    sess.run(train_step, {x: images[at : at + 100], y_: digits[at : at + 100]})
print(sess.run(cross_entropy, {x: images, y_: digits}))
sess.close()
