"""The classic regression on areas of houses in a session: areas in the thousands, and a rate made for numbers near 1."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

learning_rate = 0.01  # <- cause
training_epochs = 30

draw = np.random.RandomState(21)
train_x = draw.uniform(800, 4500, 47).astype("float32")  # <- cause
train_y = (0.134 * train_x + 71 + draw.normal(0, 20, 47)).astype("float32")

X = tf.placeholder("float")
Y = tf.placeholder("float")
W = tf.Variable(0.1, name="weight")
b = tf.Variable(0.0, name="bias")
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * len(train_x))
optimizer = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)  # <- cause

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(training_epochs):
        for x, y in zip(train_x, train_y):
            sess.run(optimizer, feed_dict={X: x, Y: y})
        if epoch % 10 == 0:
            print(epoch, sess.run([cost, W, b], feed_dict={X: train_x, Y: train_y}))
