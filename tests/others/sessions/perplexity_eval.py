"""Evaluates a language model in a plain session: loss, predictions and the metrics that the model function offers."""

import collections

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

Spec = collections.namedtuple("Spec", "loss predictions eval_metric_ops")
HPARAMS = {"vocabulary": 30, "width": 8, "length": 6}


def model_fn(features, targets, hparams):
    table = tf.get_variable("table", [hparams["vocabulary"], hparams["width"]])
    output = tf.get_variable("output", [hparams["width"], hparams["vocabulary"]])
    embedded = tf.nn.embedding_lookup(table, features)
    logits = tf.tensordot(embedded, output, axes=1)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
    predictions = tf.argmax(logits, axis=-1, output_type=tf.int32)
    metrics = {
        "accuracy": tf.metrics.accuracy(targets, predictions),
        "neg_log_perplexity": tf.metrics.mean(-losses),
    }
    return Spec(tf.reduce_mean(losses), predictions, metrics)


class Evaluator:
    def __init__(self, hparams):
        shape = [None, hparams["length"]]
        self.features = tf.placeholder(tf.int32, shape)
        self.targets = tf.placeholder(tf.int32, shape)
        self.spec = model_fn(self.features, self.targets, hparams)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())  # <- cause

    def evaluate(self, batches):
        values = {name: value for name, (value, _) in self.spec.eval_metric_ops.items()}
        updates = [update for _, update in self.spec.eval_metric_ops.values()]
        for features, targets in batches:
            feed = {self.features: features, self.targets: targets}
            loss, _ = self.session.run([self.spec.loss, self.spec.predictions], feed)
            self.session.run(updates, feed)
        return loss, self.session.run(values)


def batches(count):
    rng = np.random.default_rng(44)
    for _ in range(count):
        text = rng.integers(0, HPARAMS["vocabulary"], (16, HPARAMS["length"] + 1))
        yield text[:, :-1], text[:, 1:]


if __name__ == "__main__":
    evaluator = Evaluator(HPARAMS)
    print(evaluator.evaluate(batches(3)))
