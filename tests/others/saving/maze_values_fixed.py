"""Learns the values of moves in a maze, saves them, and plays with them in a program of its own."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

CELLS, MOVES = 9, 4


def q_network(state, scope):
    with tf.variable_scope(scope):
        w1 = tf.get_variable("w1", [CELLS, 12])
        b1 = tf.get_variable("b1", [12], initializer=tf.zeros_initializer())
        w2 = tf.get_variable("w2", [12, MOVES])
        return tf.matmul(tf.nn.relu(tf.matmul(state, w1) + b1), w2)


def learn(path):
    with tf.Graph().as_default():
        state = tf.placeholder(tf.float32, [None, CELLS])
        wanted = tf.placeholder(tf.float32, [None, MOVES])
        values = q_network(state, "q_network")
        step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(tf.square(values - wanted)))
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(20):
                sess.run(step, {state: np.eye(CELLS), wanted: np.ones((CELLS, MOVES))})
            return saver.save(sess, path)


def play(path):
    with tf.Graph().as_default():
        state = tf.placeholder(tf.float32, [None, CELLS])
        values = q_network(state, "q_network")
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, path)
            return sess.run(tf.argmax(values, axis=1), {state: np.eye(CELLS)})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print("moves", play(learn(os.path.join(folder, "maze"))))
