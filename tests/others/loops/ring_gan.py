"""Toy GAN that learns to place points on a ring."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras

BATCH_SIZE = 64
NOISE_DIM = 8
N_POINTS = 352


def ring_points(count, seed=1):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(0, 2 * np.pi, count)
    radius = 1.0 + 0.05 * rng.standard_normal(count)
    return np.stack([radius * np.cos(theta), radius * np.sin(theta)], axis=1).astype("float32")


def make_generator():
    return keras.Sequential(
        [keras.Input((NOISE_DIM,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(2)]
    )


def make_discriminator():
    return keras.Sequential(
        [keras.Input((2,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)]
    )


def cross_entropy(labels, scores):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=scores)


def discriminator_loss(real_scores, fake_scores):
    on_real = cross_entropy(tf.ones_like(real_scores), real_scores)
    on_fake = cross_entropy(tf.zeros_like(fake_scores), fake_scores)
    return tf.reduce_mean(on_real + on_fake)  # <- cause


def generator_loss(fake_scores):
    return tf.reduce_mean(cross_entropy(tf.ones_like(fake_scores), fake_scores))


class RingGan:
    def __init__(self):
        self.G, self.D = make_generator(), make_discriminator()
        self.g_opt, self.d_opt = keras.optimizers.Adam(2e-3), keras.optimizers.Adam(2e-3)

    def train_step(self, real):
        noise = tf.random.normal((BATCH_SIZE, NOISE_DIM))  # <- cause
        with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
            fake = self.G(noise, training=True)
            real_scores, fake_scores = self.D(real), self.D(fake)
            d_loss = discriminator_loss(real_scores, fake_scores)
            g_loss = generator_loss(fake_scores)
        g_grads = g_tape.gradient(g_loss, self.G.trainable_variables)
        d_grads = d_tape.gradient(d_loss, self.D.trainable_variables)
        self.g_opt.apply_gradients(zip(g_grads, self.G.trainable_variables))
        self.d_opt.apply_gradients(zip(d_grads, self.D.trainable_variables))
        return float(d_loss), float(g_loss)


def main():
    tf.random.set_seed(7)
    points = tf.data.Dataset.from_tensor_slices(ring_points(N_POINTS))
    batches = points.shuffle(N_POINTS, seed=7).batch(BATCH_SIZE)  # <- cause
    gan = RingGan()
    for epoch in range(3):
        losses = [gan.train_step(real) for real in batches]
        d_loss, g_loss = np.mean(losses, axis=0)
        print(f"epoch {epoch + 1}: D {d_loss:.3f}  G {g_loss:.3f}")


if __name__ == "__main__":
    main()
