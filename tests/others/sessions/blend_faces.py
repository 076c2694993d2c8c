"""Blends two pictures: a start picture is changed until its features lie between those of the two."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SIDE = 12


def features(picture, kernels):
    return tf.nn.relu(tf.nn.conv2d(picture, kernels, strides=[1, 2, 2, 1], padding="SAME"))


def blend(first, second, passes=20):
    kernels = tf.constant(np.random.default_rng(3).normal(0, 0.3, (3, 3, 1, 4)), tf.float32)
    combination = tf.Variable(tf.random_uniform((1, SIDE, SIDE, 1)), name="combination")
    loss = tf.Variable(0.0, name="loss", trainable=False)
    for picture in (first, second):
        target = features(tf.constant(picture), kernels)
        loss = loss + 0.5 * tf.reduce_mean(tf.square(features(combination, kernels) - target))
    start = [one for one in tf.global_variables() if one.op.name == "loss"]
    begin = tf.initializers.variables(start)  # <- cause
    gradient = tf.gradients(loss, combination)[0]
    step = combination.assign(tf.clip_by_value(combination - 0.5 * gradient, 0.0, 1.0))
    with tf.Session() as sess:
        sess.run(begin)
        for number in range(passes):
            sess.run(step)
            if number % 5 == 0:
                print("pass", number, "loss", sess.run(loss))
        return sess.run(combination)


def pictures():
    rng = np.random.default_rng(8)
    return [rng.random((1, SIDE, SIDE, 1)).astype("float32") for _ in range(2)]


if __name__ == "__main__":
    print("mean", blend(*pictures()).mean())
