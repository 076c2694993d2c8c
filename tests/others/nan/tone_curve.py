"""A photo denoiser whose output goes through the sRGB gamma before the comparison; the first step makes inf and
nan."""

import numpy as np
import tensorflow as tf

GAMMA = 1.0 / 2.4


def to_display(linear):
    linear = tf.minimum(tf.maximum(linear, 0.0), 1.0)  # <- cause
    return tf.pow(linear, GAMMA)


class Denoiser(tf.keras.Model):
    def __init__(self, filters=12):
        super().__init__()
        self.first = tf.keras.layers.Conv2D(filters, 3, padding="same", activation="relu")
        self.second = tf.keras.layers.Conv2D(filters, 3, padding="same", activation="relu")
        self.last = tf.keras.layers.Conv2D(3, 1, activation="relu")

    def call(self, noisy):
        return self.last(self.second(self.first(noisy)))


def photo_batches(count, size=16, side=24):
    rng = np.random.default_rng(8)
    for _ in range(count):
        clean = rng.random((size, side, side, 3)) ** 2
        noisy = clean + rng.normal(0, 0.05, clean.shape)
        yield noisy.astype(np.float32), clean.astype(np.float32)


def train(steps=120):
    model = Denoiser()
    optimizer = tf.keras.optimizers.Adam(2e-3)

    @tf.function
    def train_step(noisy, clean):
        with tf.GradientTape() as tape:
            shown = to_display(model(noisy))
            wanted = to_display(clean)
            loss = tf.reduce_mean(tf.abs(shown - wanted))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    for step, (noisy, clean) in enumerate(photo_batches(steps)):
        loss = train_step(tf.constant(noisy), tf.constant(clean))
        if step % 20 == 0:
            print("step", step, "loss", float(loss), flush=True)


if __name__ == "__main__":
    train()
