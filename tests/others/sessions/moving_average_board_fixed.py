"""Exponential moving average with TensorBoard summaries, several smoothing factors."""
import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def sensor_data(n=40, seed=10):
    rng = np.random.default_rng(seed)
    return rng.normal(10.0, 1.0, n).astype("float32")


class MovingAverage:
    def __init__(self, alpha):
        self.alpha = tf.constant(alpha, tf.float32)
        self.curr_value = tf.placeholder(tf.float32)
        self.prev_avg = tf.Variable(0.0)
        self.update_avg = self.alpha * self.curr_value + (1 - self.alpha) * self.prev_avg
        self.assign = tf.assign(self.prev_avg, self.update_avg)
        tf.summary.scalar("running_average", self.update_avg)
        tf.summary.scalar("incoming_value", self.curr_value)
        self.merged = tf.summary.merge_all()


def smooth(raw_data, alpha, logdir):
    tf.reset_default_graph()
    ema = MovingAverage(alpha)
    init = tf.global_variables_initializer()
    averages = []
    with tf.Session() as sess:
        writer = tf.summary.FileWriter(logdir, sess.graph)
        sess.run(init)
        for i, value in enumerate(raw_data):
            summary_str, average = sess.run([ema.merged, ema.assign],
                                            feed_dict={ema.curr_value: value})
            writer.add_summary(summary_str, i)
            averages.append(average)
        writer.close()
    return np.array(averages)


def report(alpha, raw_data, averages):
    tail = averages[len(averages) // 2:]
    print("alpha %.2f  last %.3f  tail std %.3f (raw std %.3f)" % (
        alpha, averages[-1], tail.std(), raw_data.std()))


def main():
    raw_data = sensor_data()
    with tempfile.TemporaryDirectory() as root:
        for alpha in (0.05, 0.2):
            logdir = os.path.join(root, "alpha_%.2f" % alpha)
            averages = smooth(raw_data, alpha, logdir)
            report(alpha, raw_data, averages)


if __name__ == "__main__":
    main()
