"""Node embeddings in a graph of their own, saved after the training."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Embedder:
    def __init__(self, nodes, width):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.ids = tf.placeholder(tf.int32, [None], name="ids")
            self.target = tf.placeholder(tf.float32, [None, width], name="target")
            self.table = tf.get_variable("table", [nodes, width])
            found = tf.nn.embedding_lookup(self.table, self.ids)
            self.loss = tf.reduce_mean(tf.square(found - self.target))
            self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
            self.init = tf.global_variables_initializer()
        self.session = tf.Session(graph=self.graph)
        self.session.run(self.init)

    def step(self, ids, target):
        feed = {self.ids: ids, self.target: target}
        return self.session.run([self.loss, self.train_op], feed)[0]

    def save(self, folder):
        with self.graph.as_default():
            saver = tf.train.Saver()
        return saver.save(self.session, os.path.join(folder, "embedder.ckpt"))


def main():
    rng = np.random.default_rng(15)
    model = Embedder(nodes=20, width=4)
    for _ in range(3):
        ids = rng.integers(0, 20, size=6)
        loss = model.step(ids, rng.normal(size=(6, 4)))
    with tempfile.TemporaryDirectory() as folder:
        print(loss > 0, os.path.basename(model.save(folder)))


main()
