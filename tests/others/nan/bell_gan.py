import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def linear(given, width, scope):
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [given.shape[1], width], initializer=tf.random_normal_initializer(stddev=1.0, seed=10))
        return tf.matmul(given, w) + tf.get_variable("b", [width], initializer=tf.zeros_initializer())


def generator(noise, hidden):
    return linear(tf.nn.softplus(linear(noise, hidden, "g0")), 1, "g1")


def discriminator(given, hidden):
    inner = tf.nn.relu(linear(given, hidden * 2, "d0"))
    inner = tf.nn.relu(linear(inner, hidden * 2, "d1"))
    return tf.sigmoid(linear(inner, 1, "d2"))


def log(x):
    return tf.log(x)  # <- cause


class GAN:
    def __init__(self, options):
        self.z = tf.placeholder(tf.float32, [options.batch_size, 1])
        self.x = tf.placeholder(tf.float32, [options.batch_size, 1])
        with tf.variable_scope("G"):
            made = generator(self.z, options.hidden_size)
        with tf.variable_scope("D"):
            real = discriminator(self.x, options.hidden_size)
        with tf.variable_scope("D", reuse=True):
            fake = discriminator(made, options.hidden_size)
        self.loss_d = tf.reduce_mean(-log(real) - log(1 - fake))
        self.loss_g = tf.reduce_mean(-log(fake))
        mine = tf.trainable_variables()
        self.opt_d = tf.train.AdamOptimizer(1e-3).minimize(self.loss_d, var_list=[v for v in mine if v.name[0] == "D"])
        self.opt_g = tf.train.AdamOptimizer(1e-3).minimize(self.loss_g, var_list=[v for v in mine if v.name[0] == "G"])


def main(options):
    tf.set_random_seed(42)
    draw = np.random.default_rng(42)
    model = GAN(options)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(options.num_steps):
            z = draw.random((options.batch_size, 1)) * 80 - 40
            x = np.sort(draw.normal(40, 0.5, (options.batch_size, 1)), axis=0)
            loss_d, _ = session.run([model.loss_d, model.opt_d], {model.x: x, model.z: z})
            loss_g, _ = session.run([model.loss_g, model.opt_g], {model.z: z})
            if step % 20 == 0:
                print(f"{step}: {loss_d:.4f}\t{loss_g:.4f}", flush=True)


parser = argparse.ArgumentParser()
parser.add_argument("--num-steps", type=int, default=80)
parser.add_argument("--hidden-size", type=int, default=4)
parser.add_argument("--batch-size", type=int, default=8)
main(parser.parse_args())
