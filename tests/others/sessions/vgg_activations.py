"""Dump intermediate activations of a small VGG style graph for an image pair."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SIDE = 32


def load_image(seed):
    rng = np.random.default_rng(seed)
    img = rng.uniform(0, 255, size=(SIDE + 8, SIDE + 8, 3))
    off = (img.shape[0] - SIDE) // 2
    return (img[off:off + SIDE, off:off + SIDE] / 255.0).astype("float32")


class MiniVGG:
    def __init__(self):
        self.layers = {}

    def conv(self, bottom, channels, name):
        with tf.variable_scope(name):
            depth = bottom.get_shape().as_list()[-1]
            kernel = tf.get_variable("filter", [3, 3, depth, channels],
                                     initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
            bias = tf.get_variable("biases", [channels], initializer=tf.zeros_initializer())
            out = tf.nn.conv2d(bottom, kernel, strides=[1, 1, 1, 1], padding="SAME")
            out = tf.nn.relu(tf.nn.bias_add(out, bias))
        self.layers[name] = out
        return out

    def pool(self, bottom):
        return tf.nn.max_pool2d(bottom, 2, 2, "SAME")

    def build(self, rgb):
        bgr = tf.reverse(rgb, axis=[-1])
        x = self.conv(bgr, 4, "conv1_1")
        x = self.pool(self.conv(x, 4, "conv1_2"))
        x = self.conv(x, 8, "conv2_1")
        return self.pool(x)


def activation_summary(sess, layers, value_feed_dict):
    stats = {}
    for name, tensor in sorted(layers.items()):
        values = sess.run(tensor, feed_dict=value_feed_dict)
        stats[name] = (values.shape, float(values.mean()), float(values.max()))
    return stats


def main():
    img1, img2 = load_image(1), load_image(2)
    images = tf.placeholder(tf.float32, [2, SIDE, SIDE, 3])  # <- cause
    batch1 = img1.reshape((1, SIDE, SIDE, 3))
    batch2 = img2.reshape((1, SIDE, SIDE, 3))
    batch = np.concatenate((batch1, batch2), 0)
    feed_dict = {images: batch}

    vgg = MiniVGG()
    vgg.build(images)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        pooled = sess.run(vgg.layers["conv2_1"], feed_dict=feed_dict)
        print("pair features", pooled.shape)
        stats = activation_summary(sess, vgg.layers, value_feed_dict={images: batch1})  # <- cause
        for name, (shape, mean, peak) in stats.items():
            print(name, shape, "mean %.4f max %.4f" % (mean, peak))


if __name__ == "__main__":
    main()
