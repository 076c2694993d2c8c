"""Encodes pairs of words in a graph: joined, hashed and looked up in a table of codes."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

BUCKETS = 64
PAIRS = [("deep", "water"), ("thin", "ice"), ("green", "hill")]


class PairCoder:
    def __init__(self, width):
        self.left = tf.placeholder(tf.string, [None], name="left")
        self.right = tf.placeholder(tf.string, [None], name="right")
        joined = tf.string_join([self.left, self.right], separator=" ")
        buckets = tf.strings.to_hash_bucket_fast(joined, BUCKETS)
        self.table = tf.get_variable("codes", [BUCKETS, width])
        self.codes = tf.nn.embedding_lookup(self.table, buckets)

    def encode(self, session, left, right):
        return session.run(self.codes, feed_dict={self.left: left, self.right: right})


def columns(pairs):
    left = tf.constant([pair[0] for pair in pairs], dtype=tf.string)  # <- cause
    right = tf.constant([pair[1] for pair in pairs], dtype=tf.string)  # <- cause
    return left, right


def nearest(codes):
    lengths = np.linalg.norm(codes, axis=1, keepdims=True)
    cosine = (codes / lengths) @ (codes / lengths).T
    np.fill_diagonal(cosine, -1.0)
    return cosine.argmax(axis=1)


def main():
    left, right = columns(PAIRS)
    coder = PairCoder(width=6)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        codes = coder.encode(session, left, right)
    for pair, other in zip(PAIRS, nearest(codes)):
        print(" ".join(pair), "->", " ".join(PAIRS[other]))


if __name__ == "__main__":
    main()
