import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def flights(n, seed):
    rng = np.random.RandomState(seed)
    wind = rng.uniform(0, 12, size=(n, 2)).astype(np.float32)
    pull = (1.5 * wind[:, :1] - 0.7 * wind[:, 1:] + 2.0).astype(np.float32)
    return wind, pull


def build():
    wind = tf.placeholder(tf.float32, [None, 2], name="wind")
    pull = tf.placeholder(tf.float32, [None, 1], name="pull")
    w = tf.get_variable("w", [2, 1])
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    force = tf.add(tf.matmul(wind, w), b, name="force")
    loss = tf.reduce_mean(tf.square(force - pull), name="loss")
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    return wind, pull, loss, step


def train(prefix):
    with tf.Graph().as_default():
        tf.set_random_seed(0)
        wind, pull, loss, step = build()
        x, y = flights(256, 0)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(300):
                _, value = sess.run([step, loss], feed_dict={wind: x, pull: y})
            print("training loss: %.4f" % value)
            return saver.save(sess, prefix)


def serve(path):
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(path + ".meta")
        with tf.Session(graph=graph) as sess:
            saver.restore(sess, path)
            x, y = flights(5, 1)
            force = graph.get_tensor_by_name("force:0")
            out = sess.run(force, feed_dict={"wind": x})  # <- cause
            for got, want in zip(out[:, 0], y[:, 0]):
                print("pull %.2f (true %.2f)" % (got, want))


def main():
    folder = tempfile.mkdtemp(prefix="kite_")
    path = train(os.path.join(folder, "model"))
    serve(path)


if __name__ == "__main__":
    main()
