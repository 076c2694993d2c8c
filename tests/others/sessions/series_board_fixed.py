"""Classifies time series, and writes the course of the training for TensorBoard."""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Model:
    def __init__(self, config):
        self.input = tf.placeholder(tf.float32, [None, config["length"]], name="input")
        self.labels = tf.placeholder(tf.int64, [None], name="labels")
        self.keep_prob = tf.placeholder(tf.float32, name="keep")
        w = tf.get_variable("w", [config["length"], config["classes"]])
        logits = tf.matmul(tf.nn.dropout(self.input, self.keep_prob), w)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
        self.cost = tf.reduce_mean(losses)
        self.accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), self.labels), tf.float32))
        self.step = tf.train.AdamOptimizer(config["rate"]).minimize(self.cost)
        tf.summary.scalar("cost", self.cost)
        self.merged = tf.summary.merge_all()


def series(count, config):
    rng = np.random.default_rng(5)
    label = rng.integers(0, config["classes"], count)
    time = np.arange(config["length"])
    return np.sin(time * (1 + label[:, None]) / 5) + rng.normal(0, 0.1, (count, config["length"])), label


def main(folder):
    config = {"length": 40, "classes": 3, "rate": 1e-2}
    x, y = series(200, config)
    model = Model(config)
    with tf.Session() as sess:
        writer = tf.summary.FileWriter(folder, sess.graph)
        sess.run(tf.global_variables_initializer())
        for i in range(10):
            batch = slice(i * 20, i * 20 + 20)
            feed = {model.input: x[batch], model.labels: y[batch]}
            if i % 5 == 0:
                result = sess.run([model.cost, model.merged, model.accuracy], {**feed, model.keep_prob: 1.0})
                writer.add_summary(result[1], i)
                print("at", i, "cost", result[0], "accuracy", result[2])
            sess.run(model.step, {**feed, model.keep_prob: 0.8})
        writer.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as logs:
        main(logs)
