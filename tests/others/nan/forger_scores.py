"""Adversarial network for curves, with a training loop of its own."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.random.set_seed(0)
rng = np.random.default_rng(0)

NOISE = 16
BATCH = 64
STEPS = 300


def real_curves(n):
    t = np.linspace(0, 2 * np.pi, 40)
    phase = rng.uniform(0, 2 * np.pi, (n, 1))
    size = rng.uniform(0.5, 1.0, (n, 1))
    return (size * np.sin(t[None] + phase)).astype("float32")


def make_generator():
    return keras.Sequential(
        [
            layers.Input((NOISE,)),
            layers.Dense(64, activation="relu"),
            layers.Dense(64, activation="relu"),
            layers.Dense(40, activation="tanh"),
        ],
        name="generator",
    )


def make_discriminator():
    return keras.Sequential(
        [
            layers.Input((40,)),
            layers.Dense(64, activation="relu"),
            layers.Dense(32, activation="relu"),
            layers.Dense(1),  # <- cause
        ],
        name="discriminator",
    )


generator = make_generator()
discriminator = make_discriminator()
gen_optimizer = keras.optimizers.Adam(1e-3)
disc_optimizer = keras.optimizers.Adam(1e-3)


def disc_loss(on_real, on_fake):
    return -tf.reduce_mean(tf.math.log(on_real) + tf.math.log(1.0 - on_fake))


def gen_loss(on_fake):
    return -tf.reduce_mean(tf.math.log(on_fake))


@tf.function
def train_step(real):
    noise = tf.random.normal([tf.shape(real)[0], NOISE])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake = generator(noise, training=True)
        on_real = discriminator(real, training=True)
        on_fake = discriminator(fake, training=True)
        g = gen_loss(on_fake)
        d = disc_loss(on_real, on_fake)
    gen_grads = gen_tape.gradient(g, generator.trainable_variables)
    disc_grads = disc_tape.gradient(d, discriminator.trainable_variables)
    gen_optimizer.apply_gradients(zip(gen_grads, generator.trainable_variables))
    disc_optimizer.apply_gradients(zip(disc_grads, discriminator.trainable_variables))
    return g, d


for step in range(STEPS):
    g, d = train_step(real_curves(BATCH))
    if step % 50 == 0:
        print(f"step {step}: generator {float(g):.4f} discriminator {float(d):.4f}")
samples = generator(tf.random.normal([4, NOISE])).numpy()
print("samples between", samples.min(), "and", samples.max())
