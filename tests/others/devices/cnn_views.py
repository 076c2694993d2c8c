"""Writes the activations of a network's layers as arrays."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(4)


def conv(images, filters, name):
    kernel = tf.get_variable(name, [3, 3, images.shape[-1], filters])
    out = tf.nn.relu(tf.nn.conv2d(images, kernel, strides=1, padding="SAME"))
    return tf.nn.max_pool2d(out, 2, 2, "SAME")


def letter_net(images):
    first = conv(images, 8, "conv1")
    second = conv(first, 16, "conv2")
    flat = tf.reshape(second, [-1, 7 * 7 * 16])
    w = tf.get_variable("w", [7 * 7 * 16, 10])
    return first, second, tf.matmul(flat, w)


def activation_views(graph, layers, feed, folder):
    """Writes one array of activations for each layer of a graph."""
    with graph.as_default():
        with tf.device("/gpu:0"):  # <- cause
            scaled = {}
            for layer in layers:
                values = graph.get_tensor_by_name(layer)
                low = tf.reduce_min(values, axis=[1, 2], keepdims=True)
                high = tf.reduce_max(values, axis=[1, 2], keepdims=True)
                scaled[layer] = (values - low) / (high - low + 1e-6)
        with tf.Session() as sess:  # <- cause
            sess.run(tf.global_variables_initializer())
            for layer, tensor in scaled.items():
                view = sess.run(tensor, feed)
                path = os.path.join(folder, layer.replace("/", "_").replace(":", "_") + ".npy")
                np.save(path, view)
                print("wrote", layer, view.shape)


def main():
    rng = np.random.default_rng(0)
    letters = rng.random((6, 28, 28, 1)).astype("float32")
    graph = tf.Graph()
    with graph.as_default():
        images = tf.placeholder(tf.float32, [None, 28, 28, 1], name="images")
        first, second, logits = letter_net(images)
    with tempfile.TemporaryDirectory() as folder:
        activation_views(graph, [first.name, second.name], {"images:0": letters}, folder)
        print("views:", sorted(os.listdir(folder)))


main()
