import math
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)

CLASSES = 10
SIDE = 12


def fake_digits(n, seed):
    protos = np.random.RandomState(99).rand(CLASSES, SIDE * SIDE)
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, CLASSES, size=n)
    pix = protos[labels] * 255.0 + rng.normal(0, 20, size=(n, SIDE * SIDE))
    onehot = np.eye(CLASSES)[labels]
    return np.clip(pix, 0, 255).astype(np.float32), onehot.astype(np.float32)


def layer(x, n_in, n_out, act=None):
    w = tf.Variable(tf.truncated_normal([n_in, n_out], stddev=0.1))
    b = tf.Variable(tf.ones([n_out]) / 10)
    z = tf.matmul(x, w) + b
    return act(z) if act is not None else z


X = tf.placeholder(tf.float32, [None, SIDE * SIDE])
Y_ = tf.placeholder(tf.float32, [None, CLASSES])

h1 = layer(X, SIDE * SIDE, 60, tf.nn.relu)
h2 = layer(h1, 60, 30, tf.nn.relu)
Ylogits = layer(h2, 30, CLASSES)
Y = tf.nn.softmax(Ylogits)

cross_entropy = -tf.reduce_sum(Y_ * tf.log(Y))  # <- cause
hit = tf.equal(tf.argmax(Y, 1), tf.argmax(Y_, 1))
accuracy = tf.reduce_mean(tf.cast(hit, tf.float32))
train_step = tf.train.AdamOptimizer(0.003).minimize(cross_entropy)

train_x, train_y = fake_digits(1000, 1)
test_x, test_y = fake_digits(200, 2)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(5):
        for i in range(0, len(train_x), 100):
            feed = {X: train_x[i:i + 100], Y_: train_y[i:i + 100]}
            sess.run(train_step, feed_dict=feed)
        loss, acc = sess.run([cross_entropy, accuracy], feed_dict={X: test_x, Y_: test_y})
        print("epoch %d  test loss %.4f  test accuracy %.3f" % (epoch, loss, acc))

if math.isnan(loss):
    sys.exit("training diverged: loss is nan")
