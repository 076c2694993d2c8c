"""Variational autoencoder, as chapters of a book build it."""

import numpy as np
import tensorflow as tf


class Sampling(tf.keras.layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        return tf.random.normal(tf.shape(log_var)) * tf.exp(log_var / 2) + mean


codings_size = 3

inputs = tf.keras.layers.Input(shape=[8, 8])
Z = tf.keras.layers.Flatten()(inputs)
Z = tf.keras.layers.Dense(24, activation="relu")(Z)
codings_mean = tf.keras.layers.Dense(codings_size)(Z)
codings_log_var = tf.keras.layers.Dense(codings_size)(Z)
codings = Sampling()([codings_mean, codings_log_var])
variational_encoder = tf.keras.Model(inputs=[inputs], outputs=[codings_mean, codings_log_var, codings])

decoder_inputs = tf.keras.layers.Input(shape=[codings_size])
x = tf.keras.layers.Dense(24, activation="relu")(decoder_inputs)
x = tf.keras.layers.Dense(8 * 8)(x)
outputs = tf.keras.layers.Reshape([8, 8])(x)
variational_decoder = tf.keras.Model(inputs=[decoder_inputs], outputs=[outputs])

_, _, codings = variational_encoder(inputs)
reconstructions = variational_decoder(codings)
variational_ae = tf.keras.Model(inputs=[inputs], outputs=[reconstructions])

latent_loss = -0.5 * tf.reduce_sum(  # <- cause
    1 + codings_log_var - tf.exp(codings_log_var) - tf.square(codings_mean),
    axis=-1,  # <- cause
)
variational_ae.add_loss(tf.reduce_mean(latent_loss) / 64.0)

variational_ae.compile(loss="mse", optimizer="nadam")
X_train = np.random.default_rng(4).random((100, 8, 8)).astype("float32")
history = variational_ae.fit(X_train, X_train, epochs=1, batch_size=20, verbose=2)
