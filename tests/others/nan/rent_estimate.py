"""A linear model of rents in a v1 session: with what seems a careful rate the loss goes to a trillion and then
nan."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
LEARNING_RATE = 0.001  # <- cause
FEATURES = ["square metres", "floor", "age", "minutes to centre", "rooms"]


def make_flats(count, seed=17):
    rng = np.random.default_rng(seed)
    metres = rng.normal(45, 12, count)
    floor = rng.integers(0, 9, count)
    age = rng.integers(0, 40, count)
    minutes = rng.integers(3, 35, count)
    rooms = np.round(metres / 20)
    table = np.stack([metres, floor, age, minutes, rooms], 1).astype(np.float32)
    rent = 9.5 * metres + 6 * floor - 2 * age - 4 * minutes + rng.normal(0, 25, count)
    return table, rent.astype(np.float32)[:, None] / 100


def build_graph():
    x = tf.placeholder(tf.float32, [None, len(FEATURES)], name="flats")
    y = tf.placeholder(tf.float32, [None, 1], name="rent")
    weights = tf.Variable(tf.random_normal([len(FEATURES), 1], stddev=0.1, seed=3), name="weights")
    bias = tf.Variable(tf.zeros([1]), name="bias")
    guess = tf.matmul(x, weights) + bias
    loss = tf.reduce_mean(tf.square(guess - y))
    optimizer = tf.train.GradientDescentOptimizer(LEARNING_RATE)  # <- cause
    return x, y, loss, weights, optimizer.minimize(loss)


def main(epochs=12, batch=50):
    flats, rents = make_flats(2_000)
    x, y, loss, weights, train = build_graph()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(epochs):
            total = 0.0
            for start in range(0, len(flats), batch):
                feed = {x: flats[start : start + batch], y: rents[start : start + batch]}
                value, _ = sess.run([loss, train], feed_dict=feed)
                total += value
            print("epoch", epoch, "loss", total / (len(flats) / batch), flush=True)
        print(sess.run(weights).ravel())


if __name__ == "__main__":
    main()
