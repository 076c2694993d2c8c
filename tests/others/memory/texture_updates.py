"""Refines a texture: in each round its target is put into a variable, then the error is minimised."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SHAPE = (4, 256, 256, 3)
ROUNDS = 400


def target_of(number):
    return np.full(SHAPE, np.sin(number / 20.0), "float32")


def main():
    target = tf.Variable(tf.zeros(SHAPE), trainable=False, name="target")
    texture = tf.Variable(tf.zeros(SHAPE), name="texture")
    loss = tf.reduce_mean(tf.square(texture - target))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss, var_list=[texture])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(ROUNDS):
            sess.run(tf.assign(target, target_of(number)))  # <- cause
            _, value = sess.run([step, loss])
            if number % 50 == 0:
                print("round", number, "loss", value, flush=True)


if __name__ == "__main__":
    main()
