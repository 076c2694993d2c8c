import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

BATCH = 100
PIXELS = 784
CODE = 32


class WeightedAutoencoder(object):
    def __init__(self, lr=0.01):
        self.x = tf.placeholder(tf.float32, [BATCH, PIXELS], name="x")
        self.conf = tf.placeholder(tf.float32, [BATCH], name="confidence")
        self._build()
        self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss)

    def _dense(self, inp, n_in, n_out, name):
        with tf.variable_scope(name):
            w = tf.get_variable("w", [n_in, n_out],
                                initializer=tf.random_normal_initializer(stddev=0.05))
            b = tf.get_variable("b", [n_out], initializer=tf.zeros_initializer())
        return tf.matmul(inp, w) + b

    def _build(self):
        code = tf.nn.relu(self._dense(self.x, PIXELS, CODE, "enc"))
        self.recon = tf.sigmoid(self._dense(code, CODE, PIXELS, "dec"))
        err = tf.square(self.recon - self.x)
        weighted = tf.multiply(err, tf.reshape(self.conf, [BATCH, 1]))
        self.loss = tf.reduce_mean(weighted)


def batches(images, conf):
    for i in range(0, len(images), BATCH):
        yield images[i:i + BATCH], conf[i:i + BATCH]


rng = np.random.RandomState(1)
images = rng.rand(500, PIXELS).astype(np.float32)
conf = rng.uniform(0.1, 1.0, size=500).astype(np.float32)

net = WeightedAutoencoder()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        losses = []
        for xb, cb in batches(images, conf):
            _, l = sess.run([net.train_op, net.loss], feed_dict={net.x: xb, net.conf: cb})
            losses.append(l)
        print("epoch", epoch, "loss", np.mean(losses))
