import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

WORDS, WIDTH = 6000, 400


def pretrained():
    return np.random.default_rng(1).normal(0, 0.1, (WORDS, WIDTH)).astype("float32")


def train_step(vectors):
    @tf.function  # <- cause
    def train_step1(tokens, target, weights, rate):
        with tf.GradientTape() as tape:
            sentence = tf.reduce_mean(tf.nn.embedding_lookup(vectors, tokens), axis=1)
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(sentence, weights) - target))
        weights.assign_sub(rate * tape.gradient(loss, weights))
        return loss

    return train_step1


def main(steps=80):
    vectors, draw = pretrained(), np.random.default_rng(2)
    weights = tf.Variable(tf.zeros(WIDTH))
    for number in range(steps):
        tokens = tf.constant(draw.integers(0, WORDS, (16, 20)))
        target = tf.constant(draw.normal(size=16), tf.float32)
        loss = train_step(vectors)(tokens, target, weights, tf.constant(0.1))
        if number % 10 == 0:
            print("step", number, "loss", float(loss), flush=True)


main()
