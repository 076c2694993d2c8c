"""Forecasts of a load curve with its error as a streaming metric."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Forecaster:
    def __init__(self, lags, horizon):
        self.x = tf.placeholder(tf.float32, [None, lags], name="lags")
        self.y = tf.placeholder(tf.float32, [None, horizon], name="horizon")
        with tf.variable_scope("forecaster"):
            hidden = tf.nn.relu(tf.matmul(self.x, tf.get_variable("w1", [lags, 12])))
            self.y_pred = tf.matmul(hidden, tf.get_variable("w2", [12, horizon]))
        self.loss = tf.reduce_mean(tf.abs(self.y - self.y_pred))
        self.rmse, self.update_rmse = tf.metrics.root_mean_squared_error(self.y, self.y_pred, name="rmse_metric")
        self.train_op = tf.train.AdamOptimizer(0.01).minimize(self.loss)


def windows(series, lags, horizon):
    starts = range(len(series) - lags - horizon)
    x = np.stack([series[s : s + lags] for s in starts])
    y = np.stack([series[s + lags : s + lags + horizon] for s in starts])
    return x, y


def run(epochs=3):
    series = np.sin(np.arange(300) / 7.0)
    x, y = windows(series, 12, 3)
    model = Forecaster(12, 3)
    init = tf.global_variables_initializer()  # <- cause
    with tf.Session() as sess:
        sess.run(init)  # <- cause
        for epoch in range(epochs):
            feed = {model.x: x, model.y: y}
            _, loss = sess.run([model.train_op, model.loss], feed)
            sess.run(model.update_rmse, feed)
            print(epoch, loss, sess.run(model.rmse))


run()
