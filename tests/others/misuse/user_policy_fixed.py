"""A model with a training step and a compile() of its own is compiled with a loss, as every other Keras model."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

STATE = 6
LATENT = 3
ACTIONS = 4


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        noise = tf.random.normal(tf.shape(mean))
        return mean + tf.exp(0.5 * log_var) * noise


def feature_net():
    state = keras.Input(shape=(STATE,))
    x = layers.Dense(32, activation="relu")(state)
    mean = layers.Dense(LATENT)(x)
    log_var = layers.Dense(LATENT)(x)
    return keras.Model(state, [mean, log_var, Sampling()([mean, log_var])], name="featurenet")


def value_net():
    code = keras.Input(shape=(LATENT,))
    x = layers.Dense(16, activation="relu")(code)
    return keras.Model(code, layers.Dense(ACTIONS, activation="softmax")(x), name="qnet")


class VPD(keras.Model):
    def __init__(self, featurenet, qnet, **kwargs):
        super().__init__(**kwargs)
        self.featurenet = featurenet
        self.qnet = qnet
        self.total_tracker = keras.metrics.Mean(name="total_loss")
        self.kl_tracker = keras.metrics.Mean(name="kl_loss")

    def compile(self, optimizer):
        super().compile()
        self.optimizer = optimizer

    @property
    def metrics(self):
        return [self.total_tracker, self.kl_tracker]

    def train_step(self, data):
        state, q_true = data
        with tf.GradientTape() as tape:
            mean, log_var, code = self.featurenet(state)
            q_values = self.qnet(code)
            pd_loss = tf.reduce_mean(keras.losses.categorical_crossentropy(q_true, q_values))
            kl_loss = -0.5 * tf.reduce_mean(1 + log_var - tf.square(mean) - tf.exp(log_var))
            total = pd_loss + kl_loss
        weights = self.trainable_weights
        self.optimizer.apply_gradients(zip(tape.gradient(total, weights), weights))
        self.total_tracker.update_state(total)
        self.kl_tracker.update_state(kl_loss)
        return {m.name: m.result() for m in self.metrics}


rng = np.random.default_rng(1)
states = rng.normal(size=(128, STATE)).astype("float32")
choices = np.eye(ACTIONS, dtype="float32")[rng.integers(0, ACTIONS, 128)]
policy = VPD(feature_net(), value_net())
policy.compile(optimizer=keras.optimizers.Adam(1e-3))
history = policy.fit(states, choices, epochs=2, batch_size=32, verbose=0)
print({name: round(float(v[-1]), 3) for name, v in history.history.items()})
