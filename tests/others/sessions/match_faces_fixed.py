"""Trains an embedding, saves it with its graph, and compares faces with the restored one."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def dense(net, units, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [net.shape[1], units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(net, kernel), bias, name="BiasAdd")


def network(pictures, feats):
    with tf.variable_scope("resnet-20"):
        net = tf.nn.relu(dense(pictures, 20, "fc0"))
        return dense(net, feats, "fc1")


def train(folder):
    with tf.Graph().as_default():
        pictures = tf.placeholder(tf.float32, [None, 36], name="pictures")
        features = network(pictures, 4)
        loss = tf.reduce_mean(tf.square(features))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(5):
                sess.run(step, {pictures: np.random.default_rng(0).random((10, 36))})
            return saver.save(sess, os.path.join(folder, "model"))


def compare(path, first, second):
    graph_restore = tf.Graph()
    with graph_restore.as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(sess, path)
        pictures = graph_restore.get_tensor_by_name("pictures:0")
        features = graph_restore.get_tensor_by_name("resnet-20/fc1/BiasAdd:0")
        a, b = sess.run(features, {pictures: np.stack([first, second])})
        return np.linalg.norm(a - b)


with tempfile.TemporaryDirectory() as place:
    saved = train(place)
    print("distance", compare(saved, np.zeros(36), np.ones(36)))
