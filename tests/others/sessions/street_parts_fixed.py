"""Fine-tunes a segmentation network with other classes, then uses its snapshot."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FEATURES = 12


def network(x, num_classes):
    with tf.variable_scope("conv1"):
        w = tf.get_variable("weights", [FEATURES, 16])
        x = tf.nn.relu(tf.matmul(x, w) + tf.get_variable("biases", [16], initializer=tf.zeros_initializer()))
    with tf.variable_scope("fc1_voc12"):
        w = tf.get_variable("weights", [16, num_classes])
        return tf.matmul(x, w) + tf.get_variable("biases", [num_classes], initializer=tf.zeros_initializer())


def pretrain(where):
    with tf.Graph().as_default(), tf.Session() as sess:
        network(tf.zeros([1, FEATURES]), 21)
        sess.run(tf.global_variables_initializer())
        return tf.train.Saver().save(sess, os.path.join(where, "pretrained"))


def train(where, pretrained, num_classes, steps=20, not_restore_last=True):
    draw = np.random.default_rng(3)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, FEATURES])
        y = tf.placeholder(tf.int32, [None])
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=network(x, num_classes)))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        restore_var = [v for v in tf.global_variables() if "fc" not in v.name or not not_restore_last]
        sess.run(tf.global_variables_initializer())
        loader = tf.train.Saver(var_list=restore_var)
        loader.restore(sess, pretrained)
        saver = tf.train.Saver(var_list=tf.global_variables(), max_to_keep=10)
        for _ in range(steps):
            sess.run(train_op, {x: draw.normal(size=(8, FEATURES)), y: draw.integers(0, num_classes, 8)})
        return saver.save(sess, os.path.join(where, "model.ckpt"), global_step=steps)


def infer(snapshot, num_classes):
    with tf.Graph().as_default(), tf.Session() as sess:
        prediction = tf.argmax(network(tf.ones([2, FEATURES]), num_classes), axis=1)
        saver = tf.train.Saver(tf.global_variables())
        saver.restore(sess, snapshot)
        return sess.run(prediction)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        snapshot = train(where, pretrain(where), num_classes=3)
        print("classes", infer(snapshot, num_classes=3))
