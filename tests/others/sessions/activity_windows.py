import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(3)
np.random.seed(3)

window_size = 30
num_channels = 3
num_classes = 6
batch_size = 10
epochs = 3
activities = ["walk", "jog", "sit", "stand", "up", "down"]


def segment_signal(readings, names):
    segments, labels = [], []
    for start in range(0, len(readings) - window_size + 1, window_size // 2):
        segments.append(readings[start : start + window_size])
        labels.append(activities.index(names[start]))
    return np.asarray(segments, dtype=np.float32), np.asarray(labels)


names = np.repeat(activities, 300)
base = np.repeat(np.arange(len(activities)), 300).astype(np.float32)
readings = np.random.normal(size=(len(names), num_channels)) + base[:, None]

segments, labels = segment_signal(readings, names)
labels = labels.reshape(-1, 1)  # <- cause
flat = segments.reshape(len(segments), window_size * num_channels)

mask = np.random.rand(len(flat)) < 0.7
train_x, train_y = flat[mask], labels[mask]
test_x, test_y = flat[~mask], labels[~mask]

X = tf.placeholder(tf.float32, shape=[None, window_size * num_channels])
Y = tf.placeholder(tf.float32, shape=[None, num_classes])  # <- cause

w1 = tf.Variable(tf.truncated_normal([window_size * num_channels, 32], stddev=0.1))
b1 = tf.Variable(tf.zeros([32]))
w2 = tf.Variable(tf.truncated_normal([32, num_classes], stddev=0.1))
b2 = tf.Variable(tf.zeros([num_classes]))
hidden = tf.nn.relu(tf.matmul(X, w1) + b1)
logits = tf.matmul(hidden, w2) + b2

loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=Y, logits=logits))
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(epochs):
        for b in range(len(train_x) // batch_size):
            part = slice(b * batch_size, (b + 1) * batch_size)
            _, c = session.run([train_op, loss], feed_dict={X: train_x[part], Y: train_y[part]})
        print("epoch", epoch, "loss %.3f" % c)
    print("test accuracy %.3f" % session.run(accuracy, feed_dict={X: test_x, Y: test_y}))
