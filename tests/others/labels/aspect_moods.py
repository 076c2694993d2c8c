"""The mood of a post towards a thing, in three classes: batches of word vectors through a graph."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

CLASSES = 3
FEATURES = 10


def posts(count):
    rng = np.random.default_rng(12)
    moods = np.repeat([0, 1, 2], [count // 2, count // 3, count - count // 2 - count // 3])
    return rng.normal(size=(count, FEATURES)).astype("float32"), moods


def one_hot(moods):
    classes, places = np.unique(moods, return_inverse=True)
    return np.eye(len(classes), dtype="float32")[places]  # <- cause


def batches(vectors, moods, size, seed):
    order = np.random.default_rng(seed).permutation(len(moods))
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        yield vectors[rows], one_hot(moods[rows])


class Classifier:
    def __init__(self):
        self.posts = tf.placeholder(tf.float32, [None, FEATURES], name="posts")
        self.labels = tf.placeholder(tf.float32, [None, CLASSES], name="labels")
        weights = tf.get_variable("weights", [FEATURES, CLASSES])
        self.scores = tf.matmul(self.posts, weights)
        self.loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=self.scores, labels=self.labels))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


def main():
    vectors, moods = posts(60)
    model = Classifier()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for epoch in range(4):
            for x, y in batches(vectors, moods, 6, epoch):
                session.run(model.train, {model.posts: x, model.labels: y})
            print("epoch", epoch, "done")


if __name__ == "__main__":
    main()
