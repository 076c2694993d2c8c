"""A classifier learns its training set by heart: after some dozens of runs a softmax is 0, long after the weights were
last read. The loss is not fetched while it trains."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(8)
draw = np.random.RandomState(8)
shapes = (draw.rand(6, 400) > 0.6).astype("float32")
kind = draw.randint(0, 6, 900)
knots = np.clip(shapes[kind] * (draw.rand(900, 400) > 0.2) + (draw.rand(900, 400) < 0.2), 0, 1).astype("float32")
wanted = np.eye(6, dtype="float32")[kind]

knot = tf.placeholder(tf.float32, [None, 400])
label = tf.placeholder(tf.float32, [None, 6])


def layer(x, size):
    weights = tf.Variable(tf.truncated_normal([int(x.shape[1]), size], stddev=0.1))
    return tf.matmul(x, weights) + tf.Variable(tf.ones([size]) / 10)


hidden = tf.nn.relu(layer(knot, 150))
hidden = tf.nn.relu(layer(hidden, 80))
hidden = tf.nn.relu(layer(hidden, 40))
share = tf.nn.softmax(layer(hidden, 6))
loss = -tf.reduce_sum(label * tf.log(share))  # <- cause
train = tf.train.AdamOptimizer(0.01).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(30):
        order = draw.permutation(900)
        for at in range(0, 900, 90):
            chosen = order[at : at + 90]
            session.run(train, {knot: knots[chosen], label: wanted[chosen]})
        if epoch % 10 == 9:
            print("epoch", epoch, "loss", session.run(loss, {knot: knots, label: wanted}))
