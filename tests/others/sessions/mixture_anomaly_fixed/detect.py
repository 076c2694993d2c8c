import numpy as np
import tensorflow.compat.v1 as tf

from estimation_net import EstimationNet

tf.disable_v2_behavior()


class Detector:
    def __init__(self, est_hiddens, learning_rate=0.01, epochs=5):
        self.est_net = EstimationNet(est_hiddens)
        self.learning_rate = learning_rate
        self.epochs = epochs

    def fit(self, x):
        with tf.Graph().as_default():
            codes = tf.placeholder(tf.float32, [None, x.shape[1]])
            drop = tf.placeholder(tf.float32, [])
            gamma = self.est_net.inference(codes, drop)
            energy = -tf.reduce_mean(tf.log(tf.reduce_max(gamma, axis=1)))
            step = tf.train.AdamOptimizer(self.learning_rate).minimize(energy)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(self.epochs):
                    _, value = sess.run([step, energy], {codes: x, drop: 0.1})
        return value


print("energy", Detector([10, 4]).fit(np.random.default_rng(3).normal(size=(120, 3))))
