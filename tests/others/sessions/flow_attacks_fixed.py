"""Feed-forward network for network flows: attack or not."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class FlowNetwork:
    def __init__(self, features, classes, learning_rate=0.01):
        self.graph = tf.Graph()
        with self.graph.as_default():
            with tf.name_scope("input"):
                self.X = tf.placeholder(tf.float32, [None, features], name="X")
                self.Y = tf.placeholder(tf.int64, [None], name="Y")
                self.Y_onehot = tf.one_hot(self.Y, classes)
            hidden = self.layer(self.X, features, 16, tf.nn.relu)
            logits = self.layer(hidden, 16, classes)
            self.cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=self.Y_onehot, logits=logits))
            self.train_op = tf.train.AdamOptimizer(learning_rate).minimize(self.cost)
            self.init = tf.global_variables_initializer()

    @staticmethod
    def layer(x, inputs, outputs, activation=None):
        weights = tf.Variable(tf.random_normal([inputs, outputs], stddev=0.1))
        y = tf.matmul(x, weights) + tf.Variable(tf.zeros([outputs]))
        return activation(y) if activation else y

    def fit(self, x, y, epochs=3, batch_size=100):
        costs = []
        with tf.Session(graph=self.graph) as sess:
            sess.run(self.init)
            for _ in range(epochs):
                for start in range(0, len(x), batch_size):
                    feed = {self.X: x[start : start + batch_size], self.Y: y[start : start + batch_size]}
                    _, cost = sess.run([self.train_op, self.cost], feed)
                costs.append(cost)
        return costs


def load_flows(rows=500, features=9, seed=1):
    draw = np.random.default_rng(seed)
    table = np.hstack([draw.normal(size=(rows, features)), draw.integers(0, 2, (rows, 1))])
    return table[:, :features], table[:, features]


if __name__ == "__main__":
    x, y = load_flows()
    print(FlowNetwork(x.shape[1], 2).fit(x, y))
