import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

ACTIVITIES = ["Downstairs", "Jogging", "Sitting", "Standing", "Upstairs", "Walking"]
SEGMENT = 30
CHANNELS = 3
BATCH = 10


def record_segments(count):
    rng = np.random.RandomState(0)
    codes = rng.randint(0, len(ACTIVITIES), size=count)
    t = np.linspace(0, 3, SEGMENT)
    segments = np.zeros((count, SEGMENT, CHANNELS), dtype=np.float32)
    for i, code in enumerate(codes):
        for ch in range(CHANNELS):
            segments[i, :, ch] = np.sin((code + 1) * t + ch) + 0.1 * rng.randn(SEGMENT)
    names = np.array([ACTIVITIES[c] for c in codes])
    return segments, names


segments, names = record_segments(120)
labels = np.array([ACTIVITIES.index(n) for n in names], dtype=np.float32).reshape(-1, 1)  # <- cause
flat = segments.reshape(len(segments), SEGMENT * CHANNELS)

split = 100
train_x, test_x = flat[:split], flat[split:]
train_y, test_y = labels[:split], labels[split:]

X = tf.placeholder(tf.float32, shape=[None, SEGMENT * CHANNELS])
Y = tf.placeholder(tf.float32, shape=[None, len(ACTIVITIES)])  # <- cause

w1 = tf.Variable(tf.truncated_normal([SEGMENT * CHANNELS, 20], stddev=0.1))
b1 = tf.Variable(tf.zeros([20]))
w2 = tf.Variable(tf.truncated_normal([20, len(ACTIVITIES)], stddev=0.1))
b2 = tf.Variable(tf.zeros([len(ACTIVITIES)]))

hidden = tf.nn.relu(tf.matmul(X, w1) + b1)
logits = tf.matmul(hidden, w2) + b2
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=Y, logits=logits))
step = tf.train.AdamOptimizer(0.01).minimize(cost)
hits = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(3):
        for start in range(0, split, BATCH):
            batch_x = train_x[start:start + BATCH]
            batch_y = train_y[start:start + BATCH]
            _, c = session.run([step, cost], feed_dict={X: batch_x, Y: batch_y})
        print("epoch", epoch, "cost", round(float(c), 3))
    print("test accuracy", session.run(accuracy, feed_dict={X: test_x, Y: test_y}))
