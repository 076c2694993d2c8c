import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Sampling(keras.layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        noise = tf.random.normal(tf.shape(mean), seed=7)
        return mean + tf.exp(0.5 * log_var) * noise


class SpectraVAE(keras.Model):
    def __init__(self, width, latent=4):
        super().__init__()
        self.encoder = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(2 * latent)])
        self.decoder = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(width)])
        self.sampling = Sampling()
        self.elbo = keras.metrics.Mean(name="elbo")

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var = tf.split(self.encoder(data, training=True), 2, axis=-1)
            rebuilt = self.decoder(self.sampling([mean, log_var]), training=True)
            error = tf.reduce_mean(tf.reduce_sum(tf.square(data - rebuilt), axis=-1))
            kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=-1))
            loss = error + kl
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.elbo.update_state(loss)
        return {"elbo": self.elbo.result()}


def spectra(count=1024, width=80, seed=2134):
    draw = np.random.default_rng(seed)
    place = draw.uniform(10, 70, (count, 1))
    return (6.0 * np.exp(-((np.arange(width)[None] - place) ** 2) / 20.0)).astype("float32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=2e-2)  # <- cause
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()
    keras.utils.set_random_seed(11)
    model = SpectraVAE(80)
    model.compile(optimizer=keras.optimizers.SGD(learning_rate=options.rate))  # <- cause
    model.fit(spectra(), batch_size=64, epochs=options.epochs, verbose=2)


if __name__ == "__main__":
    main()
