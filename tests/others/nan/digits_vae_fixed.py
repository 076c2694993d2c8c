import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SIDE = 12
LATENT = 4
HIDDEN = 64


def strokes(count, seed=7):
    """Small binary pictures: a frame, and one stroke inside it."""
    draw = np.random.default_rng(seed)
    pictures = np.zeros((count, SIDE, SIDE), "float32")
    pictures[:, 0, :] = pictures[:, -1, :] = 1.0
    for picture in pictures:
        if draw.random() < 0.5:
            picture[2:10, draw.integers(2, 10)] = 1.0
        else:
            picture[draw.integers(2, 10), 2:10] = 1.0
    return pictures.reshape(count, SIDE * SIDE)


def dense(inputs, units, name, activation=None):
    with tf.variable_scope(name):
        w = tf.get_variable("w", (inputs.shape[-1], units), initializer=tf.glorot_uniform_initializer())
        b = tf.get_variable("b", (units,), initializer=tf.zeros_initializer())
        out = tf.matmul(inputs, w) + b
        return activation(out) if activation else out


def encoder(x):
    hidden = dense(x, HIDDEN, "encoder_hidden", tf.nn.elu)
    return dense(hidden, LATENT, "mean"), 1e-6 + tf.nn.softplus(dense(hidden, LATENT, "deviation"))


def decoder(z):
    hidden = dense(z, HIDDEN, "decoder_hidden", tf.tanh)
    return dense(hidden, SIDE * SIDE, "pixels")


def autoencoder(x):
    mean, deviation = encoder(x)
    z = mean + deviation * tf.random_normal(tf.shape(mean))
    logits = decoder(z)
    y = tf.sigmoid(logits)
    likelihood = -tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
    divergence = 0.5 * tf.reduce_sum(
        tf.square(mean) + tf.square(deviation) - tf.log(1e-8 + tf.square(deviation)) - 1.0, 1
    )
    return y, tf.reduce_mean(divergence - likelihood)


def main():
    tf.set_random_seed(3)
    pictures = strokes(1000)
    x = tf.placeholder(tf.float32, (None, SIDE * SIDE))
    _, loss = autoencoder(x)
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(40):
            for start in range(0, len(pictures), 50):
                _, value = sess.run([step, loss], {x: pictures[start : start + 50]})
            print("epoch", epoch, "loss", value, flush=True)


main()
