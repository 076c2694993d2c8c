"""A v1 session for outlines of roads: each step weighs its pixels by how near they are to an edge."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
SIDE, BATCH = 96, 12


def road_batch(rng):
    pictures = rng.random((BATCH, SIDE, SIDE, 1)).astype(np.float32)
    outlines = (pictures > 0.8).astype(np.float32)
    nearness = 1.0 + 4.0 * rng.random((BATCH, SIDE, SIDE, 1)).astype(np.float32)
    return pictures, outlines, nearness


class OutlineNet:
    def __init__(self):
        self.pictures = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1])
        self.outlines = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1])
        kernel = tf.get_variable("kernel", [3, 3, 1, 6])
        last = tf.get_variable("last", [1, 1, 6, 1])
        hidden = tf.nn.relu(tf.nn.conv2d(self.pictures, kernel, 1, "SAME"))
        logits = tf.nn.conv2d(hidden, last, 1, "SAME")
        self.errors = tf.nn.sigmoid_cross_entropy_with_logits(labels=self.outlines, logits=logits)
        self.nearness = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1])
        self.weighted = tf.reduce_mean(self.errors * self.nearness)
        self.train = tf.train.AdamOptimizer(0.003).minimize(tf.reduce_mean(self.errors))


def main(steps=900):
    rng = np.random.default_rng(12)
    network = OutlineNet()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(steps):
            pictures, outlines, nearness = road_batch(rng)
            feed = {network.pictures: pictures, network.outlines: outlines}
            session.run(network.train, feed)
            value = session.run(network.weighted, {**feed, network.nearness: nearness})
            if step % 50 == 0:
                print(step, "weighted loss", value, flush=True)


if __name__ == "__main__":
    main()
