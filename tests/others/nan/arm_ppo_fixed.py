import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

EPSILON, EPS, ROLLOUTS, UPDATES = 0.2, 1e-5, 6, 4
draw = np.random.default_rng(163)


class Policy(tf.Module):
    """A normal distribution of the torque, given what the arm sees."""

    def __init__(self):
        self.hidden = tf.Variable(draw.normal(0, 0.3, (4, 16)).astype("float32"), name="hidden")
        self.mean = tf.Variable(draw.normal(0, 0.3, (16, 1)).astype("float32"), name="mean")
        self.width = tf.Variable(draw.normal(0, 0.05, (16, 1)).astype("float32"), name="width")

    def __call__(self, seen):
        inner = tf.nn.relu(seen @ self.hidden)
        return 2.0 * tf.tanh(inner @ self.mean), tf.nn.softplus(inner @ self.width - 1.5)

    def density(self, seen, torque):
        mean, width = self(seen)
        return tf.exp(-0.5 * tf.square((torque - mean) / width)) / (width * np.sqrt(2 * np.pi))


class PPO:
    def __init__(self):
        self.pi, self.old_pi = Policy(), Policy()
        self.steps = tf.keras.optimizers.Adam(1e-3)
        self.remember()

    def remember(self):
        for old, new in zip(self.old_pi.trainable_variables, self.pi.trainable_variables):
            old.assign(new)

    def act(self, seen):
        mean, width = self.pi(seen)
        torque = mean + width * draw.normal(size=mean.shape).astype("float32")
        return tf.where(draw.random(mean.shape) < 0.02, 8.0 * tf.ones_like(torque), torque)

    def update(self, seen, torque, advantage):
        with tf.GradientTape() as tape:
            ratio = self.pi.density(seen, torque) / (self.old_pi.density(seen, torque) + EPS)
            surrogate = ratio * advantage
            clipped = tf.clip_by_value(ratio, 1 - EPSILON, 1 + EPSILON) * advantage
            loss = -tf.reduce_mean(tf.minimum(surrogate, clipped))
        gradients = tape.gradient(loss, self.pi.trainable_variables)
        self.steps.apply_gradients(zip(gradients, self.pi.trainable_variables))
        return float(loss)


def rollout(agent, length=64):
    seen = tf.constant(draw.normal(size=(length, 4)), tf.float32)
    torque = agent.act(seen)
    return seen, torque, -tf.square(torque - 0.5 * seen[:, :1])


agent = PPO()
for episode in range(ROLLOUTS):
    seen, torque, reward = rollout(agent)
    agent.remember()
    advantage = reward - tf.reduce_mean(reward)
    losses = [agent.update(seen, torque, advantage) for _ in range(UPDATES)]
    print("episode", episode, "reward", float(tf.reduce_mean(reward)), "loss", losses[-1], flush=True)
