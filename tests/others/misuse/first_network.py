"""Logistic regression from a course: a graph with placeholders, run in a session."""

import numpy as np
import tensorflow as tf  # <- cause

SAMPLES = 500
RATE = 0.05


def make_clouds():
    rng = np.random.default_rng(23)
    left = rng.normal([-2.0, 0.0], 1.0, (SAMPLES, 2))
    right = rng.normal([2.0, 1.0], 1.0, (SAMPLES, 2))
    x = np.vstack([left, right])
    t = np.concatenate([np.zeros(SAMPLES), np.ones(SAMPLES)])
    order = rng.permutation(len(x))
    return x[order], t[order, None]


def graph(inputs):
    x = tf.placeholder(tf.float32, shape=(None, inputs), name="x")
    t = tf.placeholder(tf.float32, shape=(None, 1), name="t")
    w = tf.Variable(tf.zeros([inputs, 1]), name="w")
    b = tf.Variable(tf.zeros([1]), name="b")
    logits = tf.matmul(x, w) + b
    cost = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=logits))
    train = tf.train.GradientDescentOptimizer(RATE).minimize(cost)
    return x, t, logits, cost, train


def main():
    x_data, t_data = make_clouds()
    x, t, logits, cost, train = graph(x_data.shape[1])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(30):
            _, value = session.run([train, cost], feed_dict={x: x_data, t: t_data})
            if i % 10 == 0:
                print(i, value)
        guess = session.run(logits, feed_dict={x: x_data}) > 0
    print("accuracy", (guess == t_data).mean())


if __name__ == "__main__":
    main()
