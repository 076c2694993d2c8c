"""Streets out of sketches: a small pix2pix with checkpoints."""

import os
import tempfile

import numpy as np
import tensorflow as tf


def make_generator(filters):
    return tf.keras.Sequential(
        [tf.keras.Input((8, 8, 1)), tf.keras.layers.Conv2D(filters, 3, padding="same"), tf.keras.layers.Conv2D(1, 1)]
    )


def make_discriminator(filters):
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            tf.keras.layers.Conv2D(filters, 3),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(1),
        ]
    )


def step(generator, discriminator, g_opt, sketch, street):
    with tf.GradientTape() as tape:
        made = generator(sketch, training=True)
        loss = tf.reduce_mean(tf.abs(street - made)) - 0.01 * tf.reduce_mean(discriminator(made))
    variables = generator.trainable_variables
    g_opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


def train(folder, settings):
    generator = make_generator(settings["g_filters"])
    discriminator = make_discriminator(settings["d_filters"])
    g_opt = tf.keras.optimizers.Adam(2e-4)
    checkpoint = tf.train.Checkpoint(generator=generator, discriminator=make_discriminator)  # <- cause
    rng = np.random.default_rng(4)
    for _ in range(settings["steps"]):
        sketch = rng.uniform(size=(4, 8, 8, 1)).astype("float32")
        loss = step(generator, discriminator, g_opt, sketch, 1 - sketch)
    checkpoint.save(os.path.join(folder, "ckpt"))
    return float(loss)


with tempfile.TemporaryDirectory() as where:
    print(train(where, {"g_filters": 4, "d_filters": 4, "steps": 2}) > 0)
