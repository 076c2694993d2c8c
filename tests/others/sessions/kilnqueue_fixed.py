"""Batch scoring service for kiln sensor frames; several threads share one model."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SENSORS = 10
STATES = 3


class KilnNet:
    def __init__(self, hidden=16, lr=0.05):
        self.frames = tf.placeholder(tf.float32, [None, SENSORS], name="frames")
        self.states = tf.placeholder(tf.int64, [None], name="states")
        w1 = tf.get_variable("w1", [SENSORS, hidden])
        b1 = tf.get_variable("b1", [hidden], initializer=tf.zeros_initializer())
        w2 = tf.get_variable("w2", [hidden, STATES])
        self.logits = tf.matmul(tf.nn.relu(tf.matmul(self.frames, w1) + b1), w2)
        loss = tf.losses.sparse_softmax_cross_entropy(self.states, self.logits)
        self.step = tf.train.GradientDescentOptimizer(lr).minimize(loss)
        self.loss = loss
        self.graph = tf.get_default_graph()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, x, y, rounds=60):
        for _ in range(rounds):
            _, value = self.sess.run([self.step, self.loss],
                                     {self.frames: x, self.states: y})
        return value

    def score(self, x, temperature):
        with self.graph.as_default():
            cooling = tf.constant(1.0 / temperature, tf.float32)
            probs = tf.nn.softmax(self.logits * cooling)
            top = tf.reduce_max(probs, axis=1)
            return self.sess.run(top, {self.frames: x})


def frames(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, STATES, n)
    x = rng.normal(0, 1, (n, SENSORS))
    x[np.arange(n), y] += 2.0
    return x.astype("float32"), y


def main():
    net = KilnNet()
    print("train loss", net.train(*frames(256, 0)))

    jobs = [(frames(20, s)[0], 0.5 + 0.25 * s) for s in range(1, 5)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(net.score, x, t) for x, t in jobs]
        for k, f in enumerate(futures):
            print("job", k, "mean confidence", f.result().mean())


if __name__ == "__main__":
    main()
