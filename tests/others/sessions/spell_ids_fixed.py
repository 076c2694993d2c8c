"""A model that looks its words up in a table of ids inside of the graph."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

WORDS = ["<pad>", "salt", "sugar", "water", "flour", "butter"]


class Recipes:
    def __init__(self, words, width=4):
        self.text = tf.placeholder(tf.string, [None, None], name="text")
        keys, ids = tf.constant(words), tf.constant(np.arange(len(words)), tf.int64)
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, ids), default_value=0)
        embeddings = tf.get_variable("embeddings", [len(words), width])
        vectors = tf.nn.embedding_lookup(embeddings, self.table.lookup(self.text))
        self.scores = tf.reduce_sum(tf.reduce_mean(vectors, axis=1), axis=1)


def main():
    model = Recipes(WORDS)
    recipes = [["salt", "water", "flour"], ["sugar", "butter", "flour"]]
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        print("scores", sess.run(model.scores, {model.text: recipes}))


if __name__ == "__main__":
    main()
