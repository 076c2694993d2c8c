"""Cleans pencil sketches with a small convolutional network."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Cleaner:
    def __init__(self, side=16, batch=8):
        self.side, self.batch = side, batch
        self.sketch = tf.placeholder(tf.float32, [None, side, side, 1])
        self.clean = tf.placeholder(tf.float32, [None, side, side, 1])

    def layer(self, x, filters, name):
        with tf.variable_scope(name):
            w = tf.get_variable("w", [3, 3, int(x.shape[-1]), filters])
            b = tf.get_variable("b", [filters], initializer=tf.zeros_initializer())
            return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME") + b

    def train(self, steps):
        config = tf.ConfigProto(allow_soft_placement=True)
        sess = tf.Session(config=config)
        prediction = self.layer(tf.nn.relu(self.layer(self.sketch, 6, "first")), 1, "second")
        loss = tf.reduce_mean(tf.abs(prediction - self.clean))
        step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        for number in range(steps):
            sketch, clean = drawings(self.batch, self.side, number)
            _, value = sess.run([step, loss], {self.sketch: sketch, self.clean: clean})
        sess.close()
        return value


def drawings(count, side, seed):
    rng = np.random.default_rng(seed)
    clean = (rng.random((count, side, side, 1)) > 0.9).astype("float32")
    return clean + rng.normal(0, 0.2, clean.shape), clean


if __name__ == "__main__":
    print("loss", Cleaner().train(10))
