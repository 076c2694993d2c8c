"""Scores the words of verses in a session; padding does not count."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

BATCH, LENGTH, WORDS, WIDTH = 32, 24, 60, 16


class Scorer:
    def __init__(self):
        self.words = tf.placeholder(tf.int32, [None, LENGTH], name="words")
        self.following = tf.placeholder(tf.int32, [None, LENGTH], name="following")
        self.masks = tf.placeholder(tf.float32, [None, LENGTH], name="masks")
        table = tf.get_variable("table", [WORDS, WIDTH])
        weights = tf.get_variable("weights", [WIDTH, WORDS])
        embedded = tf.nn.embedding_lookup(table, self.words)
        scores = tf.einsum("blw,wv->blv", embedded, weights)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.following, logits=scores)
        counted = losses * self.masks
        self.cost = tf.reduce_sum(counted) / tf.reduce_sum(self.masks)
        self.step = tf.train.AdamOptimizer(1e-2).minimize(self.cost)


def verses(count):
    rng = np.random.default_rng(12)
    lengths = rng.integers(5, LENGTH, count)
    words = rng.integers(1, WORDS, (count, LENGTH + 1))
    return words, (np.arange(LENGTH)[None] < lengths[:, None]).astype("float32")


def main():
    words, masks = verses(155)
    model = Scorer()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for start in range(0, len(words), BATCH):
            part = words[start : start + BATCH]
            feed = {model.words: part[:, :-1], model.following: part[:, 1:], model.masks: masks[start : start + BATCH]}
            cost, _ = sess.run([model.cost, model.step], feed_dict=feed)
        print("cost", cost)


if __name__ == "__main__":
    main()
