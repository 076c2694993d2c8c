"""Takes the noise out of a picture step by step, in half precision."""

import keras
import numpy as np
import tensorflow as tf

keras.mixed_precision.set_global_policy("mixed_float16")
SIDE = 8


class Denoiser:
    def __init__(self, steps):
        self.alphas = tf.constant(np.linspace(0.99, 0.6, steps), tf.float32)
        self.network = keras.Sequential([keras.Input((SIDE, SIDE, 1)), keras.layers.Conv2D(1, 3, padding="same")])

    def generate(self, count, guidance=7.5):
        latent = tf.random.normal((count, SIDE, SIDE, 1))
        for index in reversed(range(len(self.alphas))):
            latent_prev = latent
            plain = self.network(latent, training=False)
            guided = self.network(latent * 1.1, training=False)
            latent = tf.cast(plain + guidance * (guided - plain), latent_prev.dtype)
            a_t, a_prev = self.alphas[index], self.alphas[max(index - 1, 0)]
            start = (latent_prev - tf.sqrt(1 - a_t) * latent) / tf.sqrt(a_t)
            latent = latent * tf.sqrt(1.0 - a_prev) + tf.sqrt(a_prev) * start
        return latent.numpy()


if __name__ == "__main__":
    print(Denoiser(steps=6).generate(2).std())
