import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
np.random.seed(14)

num_labels = 6
window = 30
num_channels = 3
batch_size = 10


def walk_log():
    rows = []
    for part in range(120):
        gait = part % num_labels
        t = np.arange(window)
        for ax in t:
            rows.append([part, gait, np.sin(ax * (gait + 1) / 5), np.cos(ax * gait / 7), 0.1 * gait])
    return pd.DataFrame(rows, columns=["part", "gait", "x", "y", "z"])


def segments(frame):
    segs, labels = [], []
    for _, piece in frame.groupby("part"):
        segs.append(piece[["x", "y", "z"]].values)
        labels.append([piece["gait"].iloc[0]])  # <- cause
    return np.array(segs, dtype=np.float32), np.array(labels)


segs, labels = segments(walk_log())  # <- cause
segs = segs.reshape(len(segs), 1, window, num_channels)

mask = np.random.rand(len(segs)) < 0.75
train_x, train_y = segs[mask], labels[mask]
test_x, test_y = segs[~mask], labels[~mask]


def weight_variable(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


X = tf.placeholder(tf.float32, shape=[None, 1, window, num_channels])
Y = tf.placeholder(tf.float32, shape=[None, num_labels])

conv = tf.nn.relu(tf.nn.conv2d(X, weight_variable([1, 5, num_channels, 8]), [1, 1, 2, 1], padding="SAME"))
flat = tf.reshape(conv, [-1, 15 * 8])
hidden = tf.nn.tanh(tf.matmul(flat, weight_variable([15 * 8, 20])))
y_ = tf.nn.softmax(tf.matmul(hidden, weight_variable([20, num_labels])))

loss = -tf.reduce_mean(tf.reduce_sum(Y * tf.log(y_ + 1e-9), axis=1))
optimizer = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
correct = tf.equal(tf.argmax(y_, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(4):
        for b in range(len(train_x) // batch_size):
            offset = b * batch_size
            batch_x = train_x[offset:offset + batch_size]
            batch_y = train_y[offset:offset + batch_size]
            _, c = session.run([optimizer, loss], feed_dict={X: batch_x, Y: batch_y})
        print("epoch", epoch, "loss", c)
    print("test accuracy", session.run(accuracy, feed_dict={X: test_x, Y: test_y}))
