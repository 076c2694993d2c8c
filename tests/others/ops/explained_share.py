"""An autoencoder of spectra, trained for the share of the variance that it explains."""

import keras
import numpy as np
import tensorflow as tf


class UnexplainedShare(keras.losses.Loss):
    def call(self, true, pred):
        true = tf.cast(true, pred.dtype)
        rest = tf.reduce_sum(tf.square(pred - true), axis=1)
        middle = tf.reshape(tf.reduce_mean(true, axis=1), (true.shape[0], 1))  # <- cause
        total = tf.reduce_sum(tf.square(true - middle), axis=1)
        return rest / total


def autoencoder(width, inner):
    spectrum = keras.Input((width,))
    x = keras.layers.Dense(24, activation="elu")(spectrum)
    x = keras.layers.Dense(inner, activation="elu")(x)
    x = keras.layers.Dense(24, activation="elu")(x)
    return keras.Model(spectrum, keras.layers.Dense(width)(x))


def main():
    spectra = np.random.default_rng(3).normal(size=(150, 40)).astype("float32")
    model = autoencoder(40, 6)
    model.compile("adam", UnexplainedShare())
    model.fit(spectra, spectra, batch_size=32, epochs=1, verbose=0)
    print("fitted", len(spectra))


main()
