"""Parts of people by pixel: a graph with a loss over all pixels."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

SIDE, PARTS, BATCH = 12, 6, 2


class Network:
    def __init__(self, rate):
        self.pictures = tf.placeholder(tf.float32, [BATCH, SIDE, SIDE, 3], name="pictures")
        self.labels = tf.placeholder(tf.int32, [BATCH, SIDE, SIDE, 1], name="labels")
        scores = self.build(self.pictures)
        self.loss = self.build_loss(scores, self.labels)
        self.train = tf.train.MomentumOptimizer(rate, 0.9).minimize(self.loss)

    def build(self, x):
        for number, filters in enumerate((8, PARTS)):
            kernel = tf.get_variable(f"kernel{number}", [3, 3, int(x.shape[-1]), filters])
            x = tf.nn.conv2d(x, kernel, 1, "SAME")
        return x

    def build_loss(self, scores, labels):
        labels = tf.reshape(labels, [-1])
        scores = tf.reshape(scores, [-1, PARTS])
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=scores, labels=labels))


def main():
    rng = np.random.default_rng(26)
    network = Network(0.01)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(3):
            pictures = rng.random((BATCH, SIDE, SIDE, 3))
            parts = rng.integers(0, PARTS, (BATCH, SIDE, SIDE, 1))
            value, _ = session.run([network.loss, network.train], {network.pictures: pictures, network.labels: parts})
            print("step", step, "loss", round(float(value), 3))


if __name__ == "__main__":
    main()
