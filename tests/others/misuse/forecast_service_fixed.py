"""A forecast service of the time of TensorFlow 1: the first forecast works, the second dies over a variable's
name."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

LAGS = 8


class LoadModel:
    """The same graph for training and for the service."""

    def __init__(self, hidden=6):
        self.history = tf.placeholder(tf.float32, [None, LAGS], name="history")
        self.target = tf.placeholder(tf.float32, [None, 1], name="target")
        with tf.variable_scope("weight_def"):
            w = tf.get_variable("weights", [LAGS, hidden])
            b = tf.get_variable("biases", [hidden], initializer=tf.zeros_initializer())
            out = tf.get_variable("out", [hidden, 1])
        self.forecast = tf.matmul(tf.tanh(tf.matmul(self.history, w) + b), out)
        self.loss = tf.reduce_mean(tf.square(self.forecast - self.target))
        self.step = tf.train.AdamOptimizer(0.01).minimize(self.loss)


def train(series, path):
    rows = np.stack([series[i : i + LAGS] for i in range(len(series) - LAGS)])
    targets = series[LAGS:, None]
    with tf.Graph().as_default(), tf.Session() as sess:
        model = LoadModel()
        sess.run(tf.global_variables_initializer())
        for _ in range(40):
            sess.run(model.step, {model.history: rows, model.target: targets})
        return tf.train.Saver().save(sess, path)


class ForecastService:
    def __init__(self, checkpoint):
        self.checkpoint = checkpoint

    def forecast(self, last_values):
        with tf.Graph().as_default():
            model = LoadModel()
            saver = tf.train.Saver()
            with tf.Session() as sess:
                saver.restore(sess, self.checkpoint)
                return sess.run(model.forecast, {model.history: [last_values]})[0, 0]


series = np.sin(np.arange(200) / 9.0).astype("float32")
with tempfile.TemporaryDirectory() as folder:
    checkpoint = train(series, os.path.join(folder, "load.ckpt"))
    service = ForecastService(checkpoint)
    print("next hour", service.forecast(series[:LAGS]))
    print("later", service.forecast(series[50 : 50 + LAGS]))
