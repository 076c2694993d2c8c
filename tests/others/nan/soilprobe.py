import numpy as np
import tensorflow as tf
from tensorflow import keras

LATENT = 4


def readings(n, seed=21):
    rng = np.random.default_rng(seed)
    moisture = rng.gamma(2.0, 12.0, (n, 1))
    profile = moisture * np.linspace(0.4, 1.6, 24)[None, :]
    spikes = rng.random((n, 24)) < 0.01
    profile = profile + rng.normal(0, 2.0, (n, 24)) + spikes * rng.uniform(200, 700, (n, 24))
    return profile.astype("float32")


class Reparameterise(keras.layers.Layer):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.seed = keras.random.SeedGenerator(17)

    def call(self, inputs):
        mu, log_var = inputs
        eps = keras.random.normal(keras.ops.shape(mu), seed=self.seed)
        return mu + keras.ops.exp(0.5 * log_var) * eps


class ProbeVAE(keras.Model):
    def __init__(self, width, **kw):
        super().__init__(**kw)
        self.enc1 = keras.layers.Dense(64, activation="relu")
        self.enc2 = keras.layers.Dense(64, activation="relu")
        self.mu = keras.layers.Dense(LATENT)
        self.log_var = keras.layers.Dense(LATENT)
        self.sample = Reparameterise()
        self.dec = keras.Sequential([keras.layers.Dense(64, activation="relu"),
                                     keras.layers.Dense(width)])

    def encode(self, x):
        h = self.enc2(self.enc1(x))
        mu = self.mu(h)
        log_var = self.log_var(h)  # <- cause
        return mu, log_var

    def call(self, x):
        mu, log_var = self.encode(x)
        kl = -0.5 * tf.reduce_mean(1.0 + log_var - tf.square(mu) - tf.exp(log_var))
        self.add_loss(1e-3 * kl)
        return self.dec(self.sample([mu, log_var]))


if __name__ == "__main__":
    keras.utils.set_random_seed(1)
    data = readings(640)
    vae = ProbeVAE(data.shape[1])
    vae.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
    vae.fit(data, data, batch_size=64, epochs=5, verbose=2)
