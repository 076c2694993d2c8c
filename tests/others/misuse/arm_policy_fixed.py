"""A policy for an arm: means from a network, one standard deviation for each joint."""

import numpy as np
import tensorflow as tf

JOINTS = 3


class Actor:
    def __init__(self, rate):
        self.model = tf.keras.Sequential([tf.keras.Input((5,)), tf.keras.layers.Dense(JOINTS)])
        self.std = tf.Variable(tf.ones((JOINTS,)), name="std")
        self.optimizer = tf.keras.optimizers.Adam(rate)
        self.std_optimizer = tf.keras.optimizers.Adam(rate)

    def log_probability(self, states, actions):
        scaled = (actions - self.model(states)) / self.std
        return -0.5 * tf.reduce_sum(tf.square(scaled), axis=1) - tf.reduce_sum(tf.math.log(self.std))

    def learn(self, states, actions, advantages):
        with tf.GradientTape(persistent=True) as tape:
            loss = -tf.reduce_mean(self.log_probability(states, actions) * advantages)
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        gradient = tf.clip_by_norm(tape.gradient(loss, self.std), 1.0)
        self.std_optimizer.apply_gradients([(gradient, self.std)])
        return loss


def rollout(rng, steps):
    states = rng.normal(size=(steps, 5)).astype("float32")
    actions = rng.normal(size=(steps, JOINTS)).astype("float32")
    return states, actions, rng.normal(size=steps).astype("float32")


rng = np.random.default_rng(10)
actor = Actor(1e-3)
for episode in range(2):
    loss = actor.learn(*rollout(rng, 16))
print(np.isfinite(float(loss)))
