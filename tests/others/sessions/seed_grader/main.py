import numpy as np
import tensorflow.compat.v1 as tf

import seeds
from config import Config

tf.disable_v2_behavior()
tf.set_random_seed(1)
np.random.seed(1)


class SeedNet:
    def __init__(self, cfg):
        self.cfg = cfg
        self.train_data, self.test_data = seeds.load(200, 100, cfg.n_side, cfg.n_classes)
        self.build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def build(self):
        cfg = self.cfg
        self.image = tf.placeholder(tf.float32, [cfg.batch_size, cfg.n_pixels])  # <- cause
        self.label = tf.placeholder(tf.float32, [cfg.batch_size, cfg.n_classes])  # <- cause

        picture = tf.reshape(self.image, [cfg.batch_size, cfg.n_side, cfg.n_side, 1])
        kernel = tf.get_variable("kernel", [3, 3, 1, 6])
        maps = tf.nn.relu(tf.nn.conv2d(picture, kernel, strides=[1, 2, 2, 1], padding="SAME"))
        flat = tf.reshape(maps, [cfg.batch_size, 4 * 4 * 6])
        w = tf.get_variable("w", [4 * 4 * 6, cfg.n_classes])
        b = tf.get_variable("b", [cfg.n_classes], initializer=tf.zeros_initializer())
        logits = tf.matmul(flat, w) + b

        self.loss = tf.reduce_mean(
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=self.label, logits=logits))
        hit = tf.equal(tf.argmax(logits, 1), tf.argmax(self.label, 1))
        self.accuracy = tf.reduce_mean(tf.cast(hit, tf.float32))
        self.step = tf.train.AdamOptimizer(cfg.learning_rate).minimize(self.loss)

    def train(self):
        size = self.cfg.batch_size
        n_train = len(self.train_data.image)
        for epoch in range(self.cfg.n_epochs):
            order = np.random.permutation(n_train)
            image = self.train_data.image[order]
            label = self.train_data.label[order]
            total = 0.0
            for k in range(n_train // size):
                part = slice(k * size, (k + 1) * size)
                _, cost = self.sess.run(
                    [self.step, self.loss],
                    feed_dict={self.image: image[part], self.label: label[part]})
                total += cost
            accuracy = self.sess.run(  # <- cause
                self.accuracy,  # <- cause
                feed_dict={self.image: self.test_data.image, self.label: self.test_data.label})  # <- cause
            print("epoch %d cost %.3f test accuracy %.3f" % (epoch, total, accuracy))


if __name__ == "__main__":
    SeedNet(Config()).train()
