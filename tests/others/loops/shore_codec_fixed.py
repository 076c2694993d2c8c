"""A small variational codec of shore profiles, trained in a step of its own."""
import numpy as np
import tensorflow as tf

POINTS, LATENT, BATCH = 24, 3, 32


def profiles(count, seed=0):
    rng = np.random.default_rng(seed)
    at = np.linspace(0, 1, POINTS)
    slope, bar = rng.uniform(0.5, 2, (count, 1)), rng.uniform(0.2, 0.8, (count, 1))
    return (slope * at - 0.4 * np.exp(-80 * (at - bar) ** 2)).astype("float32")


class Codec(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = tf.keras.layers.Dense(16, activation="tanh")
        self.code = tf.keras.layers.Dense(2 * LATENT)
        self.outer = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(POINTS)])

    def encode(self, x):
        return tf.split(self.code(self.inner(x)), 2, axis=-1)

    def decode(self, z):
        return self.outer(z)


def kl(mean, log_var):
    return -0.5 * tf.reduce_mean(1 + log_var - mean**2 - tf.exp(log_var))


codec = Codec()
adam = tf.keras.optimizers.Adam(1e-2)


@tf.function
def train(batch):
    with tf.GradientTape() as tape:
        mean, log_var = codec.encode(batch)
        noise = tf.random.normal(tf.shape(mean))
        rebuilt = codec.decode(mean + noise * tf.exp(0.5 * log_var))
        misfit = tf.reduce_mean(tf.square(batch - rebuilt))
        loss = misfit + 0.01 * kl(mean, log_var)
    weights = codec.trainable_weights
    adam.apply_gradients(zip(tape.gradient(loss, weights), weights))
    return loss


shores = tf.data.Dataset.from_tensor_slices(profiles(320)).batch(BATCH)
for epoch in range(3):
    losses = [float(train(batch)) for batch in shores]
    print(f"epoch {epoch + 1}: {np.mean(losses):.4f}")
