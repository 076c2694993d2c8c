"""A class has a graph of its own, and its session is opened on the default one."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Scorer:
    def __init__(self, width):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.rows = tf.placeholder(tf.float32, [None, width])
            weights = tf.get_variable("weights", [width, 1])
            self.scores = tf.sigmoid(tf.matmul(self.rows, weights))
            self.ready = tf.global_variables_initializer()
        self.session = tf.Session()  # <- cause

    def start(self):
        self.session.run(self.ready)

    def score(self, rows):
        return self.session.run(self.scores, {self.rows: rows})


scorer = Scorer(4)
scorer.start()
print(scorer.score(np.ones((2, 4))))
