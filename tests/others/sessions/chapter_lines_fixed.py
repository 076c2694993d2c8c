"""The linear regression of a book's chapter, as its notebook has it; the cell was run for two noises."""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def regression(noise, folder, n=100):
    rng = np.random.default_rng(1)
    x_np = rng.random((n, 1))
    y_np = 5 * x_np[:, 0] + 2 + rng.normal(0, noise, n)

    with tf.name_scope("placeholders"):
        x = tf.placeholder(tf.float32, (n, 1))
        y = tf.placeholder(tf.float32, (n,))
    with tf.name_scope("weights"):
        w = tf.Variable(tf.random_normal((1, 1)))
        b = tf.Variable(tf.random_normal((1,)))
    with tf.name_scope("prediction"):
        y_pred = tf.squeeze(tf.matmul(x, w) + b, 1)
    with tf.name_scope("loss"):
        l = tf.reduce_sum((y - y_pred) ** 2)
    with tf.name_scope("optim"):
        train_op = tf.train.AdamOptimizer(0.05).minimize(l)
    with tf.name_scope("summaries"):
        tf.summary.scalar("loss", l)
        merged = tf.summary.merge_all()

    writer = tf.summary.FileWriter(folder)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(30):
            feed_dict = {x: x_np, y: y_np}
            _, summary, loss = sess.run([train_op, merged, l], feed_dict=feed_dict)
            writer.add_summary(summary, i)
        return loss, sess.run(w)[0, 0]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as logs:
        for noise in (0.1, 0.5):
            tf.reset_default_graph()
            print("noise", noise, "loss and weight", regression(noise, logs))
