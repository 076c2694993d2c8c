import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

BATCH = 128
NOISE_DIM = 16
DIM = 64


def dense(x, n_out, name, activation=None):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [int(x.shape[1]), n_out],
                            initializer=tf.random_normal_initializer(stddev=0.1))
        b = tf.get_variable("b", [n_out], initializer=tf.zeros_initializer())
    y = tf.matmul(x, w) + b
    return activation(y) if activation else y


def discriminator(x):
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        h = dense(x, 32, "h1", tf.nn.leaky_relu)
        return dense(h, 1, "logit")


def generator(z):
    with tf.variable_scope("generator"):
        h = dense(z, 32, "h1", tf.nn.relu)
        return dense(h, DIM, "out", tf.nn.tanh)


def gan_loss(logits_real, logits_fake):
    ce = tf.nn.sigmoid_cross_entropy_with_logits
    real = ce(labels=tf.ones_like(logits_real), logits=logits_real)
    fake = ce(labels=tf.zeros_like(logits_fake), logits=logits_fake)
    D_loss = tf.reduce_mean(real) + tf.reduce_mean(fake)
    G_loss = tf.reduce_mean(ce(labels=tf.ones_like(logits_fake), logits=logits_fake))
    return D_loss, G_loss


def minibatches(data, size):
    order = np.random.permutation(len(data))
    for i in range(0, len(data), size):
        yield data[order[i:i + size]]


x = tf.placeholder(tf.float32, [None, DIM])
z = tf.random_uniform([BATCH, NOISE_DIM], -1.0, 1.0)
G_sample = generator(z)
D_loss, G_loss = gan_loss(discriminator(x), discriminator(G_sample))

D_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "discriminator")
G_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "generator")
D_step = tf.train.AdamOptimizer(1e-3, beta1=0.5).minimize(D_loss, var_list=D_vars)
G_step = tf.train.AdamOptimizer(1e-3, beta1=0.5).minimize(G_loss, var_list=G_vars)

images = np.tanh(np.random.RandomState(6).normal(size=(480, DIM))).astype(np.float32)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        for minibatch in minibatches(images, BATCH):
            _, D_curr = sess.run([D_step, D_loss], feed_dict={x: minibatch})
            _, G_curr = sess.run([G_step, G_loss])
        print("Epoch: {}, D: {:.4}, G: {:.4}".format(epoch, D_curr, G_curr))
