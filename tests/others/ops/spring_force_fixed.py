import numpy as np
import tensorflow as tf

np.random.seed(17)
tf.random.set_seed(17)

stretch = np.random.uniform(-1.0, 1.0, size=(200, 2)).astype(np.float32)
force = stretch @ np.array([[2.0], [-1.5]], dtype=np.float32) + 0.3


class SpringNet:
    def __init__(self, n_in, n_hidden, n_out):
        self.w1 = tf.Variable(tf.random.normal([n_in, n_hidden], stddev=0.3))
        self.b1 = tf.Variable(tf.zeros([n_hidden]))
        self.w2 = tf.Variable(tf.random.normal([n_hidden, n_out], stddev=0.3))
        self.b2 = tf.Variable(tf.zeros([n_out]))

    @property
    def weights(self):
        return [self.w1, self.b1, self.w2, self.b2]

    def __call__(self, x):
        h = tf.nn.tanh(tf.matmul(x, self.w1) + self.b1)
        return tf.matmul(h, self.w2) + self.b2


def mse(y, pred):
    return tf.reduce_mean(tf.square(y - pred))


net = SpringNet(2, 8, 1)
opt = tf.keras.optimizers.Adam(0.02)

for epoch in range(3):
    order = np.random.permutation(len(stretch))
    for at in range(0, len(order), 40):
        b = order[at:at + 40]
        with tf.GradientTape() as tape:
            loss = mse(force[b], net(stretch[b]))
        grads = tape.gradient(loss, net.weights)
        opt.apply_gradients(zip(grads, net.weights))
    print("epoch", epoch, "loss", float(loss))
