"""Activities from windows of accelerometer data, with a convolution in a session."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

ACTIVITIES = ["Downstairs", "Jogging", "Sitting", "Standing", "Upstairs", "Walking"]
WINDOW, CHANNELS = 30, 3


def windows(count):
    rng = np.random.default_rng(18)
    activity = rng.choice(ACTIVITIES, count)
    speed = np.array([ACTIVITIES.index(a) for a in activity], dtype=float)
    time = np.arange(WINDOW) / 5.0
    segments = np.sin(time[None, :, None] * (1 + speed[:, None, None])) + rng.normal(0, 0.1, (count, WINDOW, CHANNELS))
    return segments.astype("float32"), activity


def encode(activity):
    codes = {name: number for number, name in enumerate(ACTIVITIES)}
    return np.array([[codes[name]] for name in activity], dtype="float32")  # <- cause


def model(x):
    filters = tf.Variable(tf.truncated_normal([5, CHANNELS, 8], stddev=0.1))
    h = tf.nn.relu(tf.nn.conv1d(x, filters, stride=2, padding="VALID"))
    flat = tf.reshape(h, [-1, int(h.shape[1]) * int(h.shape[2])])
    w = tf.Variable(tf.truncated_normal([int(flat.shape[1]), len(ACTIVITIES)], stddev=0.1))
    b = tf.Variable(tf.zeros([len(ACTIVITIES)]))
    return tf.nn.softmax(tf.matmul(flat, w) + b)


def main():
    segments, activity = windows(200)
    labels = encode(activity)
    split = 150
    train_x, train_y = segments[:split], labels[:split]
    test_x, test_y = segments[split:], labels[split:]

    X = tf.placeholder(tf.float32, shape=[None, WINDOW, CHANNELS])
    Y = tf.placeholder(tf.float32, shape=[None, len(ACTIVITIES)])
    y_ = model(X)
    loss = -tf.reduce_mean(tf.reduce_sum(Y * tf.log(y_ + 1e-9), axis=1))
    optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.05).minimize(loss)
    hits = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y_, 1), tf.argmax(Y, 1)), tf.float32))

    batch_size = 10
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for offset in range(0, split, batch_size):
            batch_x = train_x[offset : offset + batch_size]
            batch_y = train_y[offset : offset + batch_size]
            _, cost = session.run([optimizer, loss], feed_dict={X: batch_x, Y: batch_y})  # <- cause
        print("cost", cost, "accuracy", session.run(hits, feed_dict={X: test_x, Y: test_y}))


if __name__ == "__main__":
    main()
