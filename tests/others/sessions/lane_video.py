"""Finds the lane in the frames of a video."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

HEIGHT, WIDTH = 8, 16


class LaneNet:
    def _conv(self, net, out_dims, name):
        with tf.variable_scope(name):
            w = tf.get_variable("W", [3, 3, net.shape[-1], out_dims])
            return tf.nn.relu(tf.nn.conv2d(net, w, [1, 1, 1, 1], "SAME"))

    def inference(self, input_tensor, name):
        with tf.variable_scope(name):
            net = self._conv(input_tensor, 4, "conv1_1")
            net = self._conv(net, 4, "conv1_2")
            return tf.nn.sigmoid(tf.reduce_sum(net, axis=-1))


def video(frames):
    rng = np.random.default_rng(0)
    for _ in range(frames):
        yield rng.random((1, HEIGHT, WIDTH, 3))


def detect(frames=3):
    input_tensor = tf.placeholder(tf.float32, [1, HEIGHT, WIDTH, 3], name="input_tensor")
    found = []
    with tf.Session() as sess:
        for frame in video(frames):
            lanes = LaneNet().inference(input_tensor, name="lanenet_loss")  # <- cause
            sess.run(tf.global_variables_initializer())
            found.append(sess.run(lanes, feed_dict={input_tensor: frame}).mean())
    return found


if __name__ == "__main__":
    print(detect())
