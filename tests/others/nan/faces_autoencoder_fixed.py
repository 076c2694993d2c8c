import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def weight(shape):
    return tf.Variable(tf.random_normal(shape, stddev=0.05, seed=sum(shape)))


def autoencoder(n_pixels, n_hidden=48, n_code=6):
    """A variational autoencoder; gives the tensors by their names."""
    x = tf.placeholder(tf.float32, [None, n_pixels], name="x")
    inner = tf.nn.softplus(tf.matmul(x, weight([n_pixels, n_hidden])))
    mean = tf.matmul(inner, weight([n_hidden, n_code]))
    log_sigma = 0.5 * tf.matmul(inner, weight([n_hidden, n_code]))
    code = mean + tf.exp(log_sigma) * tf.random_normal(tf.shape(mean), seed=5)
    inner = tf.nn.softplus(tf.matmul(code, weight([n_code, n_hidden])))
    y = tf.nn.sigmoid(tf.matmul(inner, weight([n_hidden, n_pixels])) + tf.Variable(tf.zeros([n_pixels])))
    log_px = x * tf.log(1e-7 + y) + (1 - x) * tf.log(1e-7 + 1 - y)
    kl = -0.5 * tf.reduce_sum(1 + 2 * log_sigma - mean**2 - tf.exp(2 * log_sigma), 1)
    loss = tf.reduce_mean(kl - tf.reduce_sum(log_px, 1))
    return {"x": x, "y": y, "cost": loss}


def faces(count, side=10, seed=23):
    draw = np.random.default_rng(seed)
    rows, columns = np.mgrid[:side, :side] / side
    centres = draw.uniform(0.3, 0.7, (count, 2, 1, 1))
    return np.exp(-12 * ((rows - centres[:, 0]) ** 2 + (columns - centres[:, 1]) ** 2)).reshape(count, -1)


tf.set_random_seed(23)
images = faces(500)
ae = autoencoder(images.shape[1])
optimizer = tf.train.AdamOptimizer(0.001).minimize(ae["cost"])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(3):
        costs = []
        for start in range(0, len(images), 50):
            batch = {ae["x"]: images[start : start + 50]}
            costs.append(session.run([ae["cost"], optimizer], batch)[0])
        print(epoch, np.mean(costs), flush=True)
