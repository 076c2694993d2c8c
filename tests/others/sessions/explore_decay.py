"""Epsilon-greedy bandit agent with a configurable exploration schedule."""
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

CONFIG = """
{
  "num_actions": 5,
  "learning_rate": 0.1,
  "exploration": {
    "type": "epsilon_decay",
    "epsilon": 1.0,
    "epsilon_final": 0.1,
    "start_timestep": 10,
    "epsilon_timesteps": 1e2
  }
}
"""


class EpsilonDecay:
    def __init__(self, epsilon, epsilon_final, epsilon_timesteps, start_timestep=0):
        self.epsilon = epsilon
        self.epsilon_final = epsilon_final
        self.epsilon_timesteps = epsilon_timesteps  # <- cause
        self.start_timestep = start_timestep

    def tf_value(self, timestep):
        def before():
            return tf.constant(self.epsilon, tf.float32)

        def after():
            return tf.constant(self.epsilon_final, tf.float32)

        def decay():
            done = tf.cast(timestep - self.start_timestep, tf.float32)
            frac = done / float(self.epsilon_timesteps)
            return self.epsilon + frac * (self.epsilon_final - self.epsilon)

        finished = tf.greater(timestep, self.start_timestep + self.epsilon_timesteps)  # <- cause
        return tf.cond(tf.less(timestep, self.start_timestep), before,
                       lambda: tf.cond(finished, after, decay))


class BanditAgent:
    def __init__(self, config):
        self.n = config["num_actions"]
        self.lr = config["learning_rate"]
        options = dict(config["exploration"])
        options.pop("type")
        self.exploration = EpsilonDecay(**options)  # <- cause
        self.timestep = tf.placeholder(tf.int32, shape=(), name="timestep")
        self.eps_op = self.exploration.tf_value(self.timestep)
        self.values = np.zeros(self.n)

    def act(self, sess, step, rng):
        eps = sess.run(self.eps_op, {self.timestep: step})
        if rng.random() < eps:
            return int(rng.integers(self.n)), eps
        return int(self.values.argmax()), eps

    def observe(self, action, reward):
        self.values[action] += self.lr * (reward - self.values[action])


def main():
    rng = np.random.default_rng(5)
    means = np.linspace(0.0, 1.0, 5)
    agent = BanditAgent(json.loads(CONFIG))
    with tf.Session() as sess:
        for step in range(150):
            action, eps = agent.act(sess, step, rng)
            agent.observe(action, rng.normal(means[action], 0.1))
            if step % 50 == 0:
                print(step, "eps %.2f" % eps, agent.values.round(2))
    print("best arm", agent.values.argmax())


if __name__ == "__main__":
    main()
