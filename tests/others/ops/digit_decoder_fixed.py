"""An autoencoder of digits: convolutions down to a code, and back."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

LATENT = 8
CHANNELS = 1


def dense(x, units, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [int(x.shape[1]), units])
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        return tf.nn.leaky_relu(tf.matmul(x, w) + b)


def encoder(pictures):
    flat = tf.reshape(pictures, [-1, 28 * 28])
    return dense(dense(flat, 64, "inner"), LATENT, "code")


def decoder(code):
    inner = dense(code, 24, "first")
    inner = dense(inner, 49 * CHANNELS, "second")
    maps = tf.reshape(inner, [-1, 7, 7, CHANNELS])
    large = tf.image.resize(maps, (28, 28))
    return tf.reshape(large, [-1, 784])


def batches(count, size):
    rng = np.random.default_rng(3)
    for _ in range(count):
        yield rng.random((size, 28, 28)).astype("float32")


def main():
    pictures = tf.placeholder(tf.float32, [None, 28, 28], "pictures")
    drawn = decoder(encoder(pictures))
    loss = tf.reduce_mean(tf.squared_difference(drawn, tf.reshape(pictures, [-1, 784])))
    step = tf.train.AdamOptimizer(1e-3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches(5, 64):
            value, _ = sess.run([loss, step], {pictures: batch})
        print("loss", value)


main()
