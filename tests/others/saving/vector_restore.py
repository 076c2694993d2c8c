"""Saves two vectors of a graph in one function and reads them back in another."""

import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def define(start):
    return {
        "v1": tf.Variable([start] * 3, name="v1"),
        "v2": tf.Variable([start + 1.0] * 5, name="v2"),
    }


def save(path):
    vectors = define(1.0)
    grow = [variable.assign_add(tf.ones_like(variable)) for variable in vectors.values()]
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            sess.run(grow)
        where = saver.save(sess, path)
        print("Model saved in file:", os.path.basename(where))
    return where


def restore(where):
    vectors = define(0.0)  # <- cause
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, where)
        print("Model restored.")
        return {name: sess.run(variable).tolist() for name, variable in vectors.items()}


def main():
    with tempfile.TemporaryDirectory() as folder:
        where = save(os.path.join(folder, "model.ckpt"))
        for name, value in restore(where).items():
            print(name, value)


if __name__ == "__main__":
    main()
