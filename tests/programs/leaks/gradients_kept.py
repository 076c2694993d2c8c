import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

weights = tf.Variable(tf.random.normal((1000, 1000)))
bias = tf.Variable(tf.zeros((1000,)))


def train(steps):
    accumulated = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.ones((8, 1000)) @ weights + bias))
        accumulated.append(tape.gradient(loss, [weights, bias]))  # <- cause
        print("held", len(accumulated) * (1000 * 1000 + 1000) * 4, flush=True)
    return accumulated


train(100_000)
