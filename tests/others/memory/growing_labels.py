import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SIDE, CLASSES, BATCH = 32, 5, 64


class Annotators:
    """People who label some more pictures in each round."""

    def __init__(self, per_round, seed=3):
        self.draw = np.random.default_rng(seed)
        self.per_round = per_round
        self.pictures = np.zeros((0, SIDE, SIDE, 3), "float32")
        self.labels = np.zeros((0,), "int64")

    def work(self):
        fresh = self.draw.random((self.per_round, SIDE, SIDE, 3)).astype("float32")
        self.pictures = np.concatenate([self.pictures, fresh])[-2000:]
        self.labels = np.concatenate([self.labels, self.draw.integers(0, CLASSES, self.per_round)])[-2000:]
        return self.pictures, self.labels


def classifier(pictures, labels):
    flat = tf.reshape(pictures, (-1, SIDE * SIDE * 3))
    w = tf.get_variable("w", (SIDE * SIDE * 3, CLASSES))
    logits = tf.matmul(flat, w)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return loss, tf.train.AdamOptimizer(1e-3).minimize(loss)


class Input:
    types = (tf.float32, tf.int64)
    shapes = ((None, SIDE, SIDE, 3), (None,))

    def __init__(self):
        self.iterator = tf.data.Iterator.from_structure(self.types, self.shapes)

    def start(self, sess, pictures, labels):
        data = tf.data.Dataset.from_tensor_slices((pictures, labels)).shuffle(100).batch(BATCH)  # <- cause
        sess.run(self.iterator.make_initializer(data))


def main(rounds=80):
    people, source = Annotators(500), Input()
    loss, step = classifier(*source.iterator.get_next())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(rounds):
            source.start(sess, *people.work())
            for _ in range(5):
                _, value = sess.run([step, loss])
            print("round", number, "loss", value, flush=True)


main()
