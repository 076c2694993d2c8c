"""A v1 session looks words up; one sentence has a word that the table does not know."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
VOCABULARY = 30


def corpus():
    sentences = np.random.default_rng(6).integers(0, VOCABULARY, (120, 7))
    sentences[95, 3] = 44
    return sentences


sentences = corpus()
words = tf.placeholder(tf.int64, [None, 7], name="words")
table = tf.get_variable("table", [VOCABULARY, 5])
mean = tf.reduce_mean(tf.nn.embedding_lookup(table, words))
session = tf.Session()
session.run(tf.global_variables_initializer())
for batch in np.split(sentences, 4):
    session.run(mean, {words: batch})  # <- cause
