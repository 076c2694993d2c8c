"""Joins several genomic tracks into one representation and predicts another track from it."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

CONFIG = {"tracks": {"dnase": 20, "chipseq": 20, "nucleosome": 40}, "output": 20, "shared": 8}


class TrackNet:
    def __init__(self, config):
        self.config = config
        self.inputs = {
            name: tf.placeholder(tf.float32, [None, width], name=name) for name, width in config["tracks"].items()
        }
        self.target = tf.placeholder(tf.float32, [None, config["output"]], name="target")
        encoded = [self.dense(tensor, config["shared"], name) for name, tensor in self.inputs.items()]
        self.scaffold_representation = tf.add_n(encoded, name="joined")
        self.prediction = self.dense(self.scaffold_representation, config["output"], "head", tf.identity)
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.target))
        self.train_op = tf.train.AdamOptimizer(1e-2).minimize(self.loss)

    def dense(self, tensor, width, name, activation=tf.tanh):
        with tf.variable_scope(name):
            w = tf.get_variable("w", [int(tensor.shape[1]), width])
            b = tf.get_variable("b", [width], initializer=tf.zeros_initializer())
        return activation(tf.matmul(tensor, w) + b)

    def feed(self, data):
        return {self.inputs[name]: data[name] for name in self.inputs}

    def train(self, session, data):
        return session.run([self.train_op, self.loss], {**self.feed(data), self.target: data["target"]})[1]

    def get_representations(self, session, data):
        pred_feed = self.feed(data)
        fetches = {"prediction": self.prediction}
        fetches.update({"scaffold": self.scaffold_representation})
        return session.run(fetches, pred_feed)


def regions(count, config):
    rng = np.random.default_rng(50)
    data = {name: rng.random((count, width)) for name, width in config["tracks"].items()}
    data["target"] = (data["dnase"] + data["chipseq"]) / 2
    return data


def main():
    data = regions(100, CONFIG)
    net = TrackNet(CONFIG)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(20):
            loss = net.train(session, data)
        found = net.get_representations(session, data)
    print("loss", loss, {name: value.shape for name, value in found.items()})


if __name__ == "__main__":
    main()
