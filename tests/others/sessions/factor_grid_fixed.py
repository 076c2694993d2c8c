"""Matrix factorisation for recommendations, tried with several sizes."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Factorizer:
    def __init__(self, users, items, size, rate=0.05, epochs=3):
        self.users, self.items, self.size = users, items, size
        self.rate, self.epochs = rate, epochs

    def _build(self):
        self.user_index = tf.placeholder(tf.int32, [None])
        self.item_index = tf.placeholder(tf.int32, [None])
        self.rating = tf.placeholder(tf.float32, [None])
        bu = tf.get_variable("bu_var", [self.users], initializer=tf.zeros_initializer())
        bi = tf.get_variable("bi_var", [self.items], initializer=tf.zeros_initializer())
        pu = tf.get_variable("pu_var", [self.users, self.size])
        qi = tf.get_variable("qi_var", [self.items, self.size])
        product = tf.reduce_sum(tf.gather(pu, self.user_index) * tf.gather(qi, self.item_index), axis=1)
        self.guess = 3.0 + tf.gather(bu, self.user_index) + tf.gather(bi, self.item_index) + product
        self.loss = tf.reduce_mean(tf.square(self.guess - self.rating))
        self.step = tf.train.AdamOptimizer(self.rate).minimize(self.loss)

    def fit(self, table):
        self._build()
        feed = {self.user_index: table["user"], self.item_index: table["item"], self.rating: table["rating"]}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(self.epochs):
                _, loss = session.run([self.step, self.loss], feed)
        return float(loss)


def ratings(count=600, users=40, items=25):
    rng = np.random.default_rng(77)
    return {
        "user": rng.integers(0, users, count),
        "item": rng.integers(0, items, count),
        "rating": rng.integers(1, 6, count).astype("float32"),
    }


def search(table, sizes):
    results = {}
    for size in sizes:
        tf.reset_default_graph()
        results[size] = Factorizer(40, 25, size).fit(table)
    return results


if __name__ == "__main__":
    print(search(ratings(), sizes=(4, 8, 16)))
