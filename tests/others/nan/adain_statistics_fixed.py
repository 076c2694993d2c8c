import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

BATCH, SIDE, CHANNELS = 4, 8, 6


def conv(x, channels, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable(
            "kernel", [3, 3, x.shape[-1], channels], initializer=tf.random_normal_initializer(stddev=0.1, seed=3)
        )
        bias = tf.get_variable("bias", [channels], initializer=tf.zeros_initializer())
        return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"), bias))


def statistics(features):
    mean, variance = tf.nn.moments(features, [1, 2])
    sigma = tf.sqrt(variance + 1e-5)
    return mean, sigma


def style_loss(made, style):
    loss = 0.0
    for one, other in zip(made, style):
        mean, sigma = statistics(one)
        style_mean, style_sigma = statistics(other)
        loss += tf.reduce_sum(tf.square(mean - style_mean)) + tf.reduce_sum(tf.square(sigma - style_sigma))
    return loss


def layers_of(x):
    with tf.variable_scope("encoder", reuse=tf.AUTO_REUSE):
        first = conv(x, CHANNELS, "first")
        return [first, conv(first, CHANNELS, "second")]


def batches(count, seed=1):
    draw = np.random.default_rng(seed)
    for number in range(count):
        content = draw.normal(size=(BATCH, SIDE, SIDE, 3))
        if number == 3:
            content[2] = 0.0
        yield content, draw.normal(size=(BATCH, SIDE, SIDE, 3))


def train(rounds=10):
    content = tf.placeholder(tf.float32, [None, SIDE, SIDE, 3], name="content")
    style = tf.placeholder(tf.float32, [None, SIDE, SIDE, 3], name="style")
    loss = style_loss(layers_of(content), layers_of(style))
    step = tf.train.AdamOptimizer(1e-3).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number, (photos, paintings) in enumerate(batches(rounds)):
            _, value = session.run([step, loss], {content: photos, style: paintings})
            print("step", number, "style loss", value)


train()
