"""Agents of a market pick their actions, and explore less with time."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)

AGENTS = 3
SIGHT = 40
ACTIONS = 5
STEPS = 600


def make_network():
    return tf.keras.Sequential(
        [tf.keras.layers.Input((SIGHT,))]
        + [tf.keras.layers.Dense(48, activation="relu") for _ in range(2)]
        + [tf.keras.layers.Dense(ACTIONS)]
    )


class Executor:
    """Picks the actions of all agents of the market."""

    def __init__(self, networks, prices):
        self.networks = networks
        self.prices = prices
        self.steps = 0
        self.epsilon = 1.0

    @tf.function
    def _policy(self, agent, observation, epsilon):
        usual = tf.reduce_mean(tf.gather(self.prices, tf.random.uniform([64], 0, len(self.prices), tf.int32)), axis=0)
        values = self.networks[agent](observation - usual)
        best = tf.argmax(values, axis=1, output_type=tf.int32)
        other = tf.random.uniform(tf.shape(best), 0, ACTIONS, tf.int32)
        explore = tf.random.uniform(tf.shape(best)) < epsilon
        return tf.where(explore, other, best)

    def select_actions(self, observations):
        self.steps += 1
        self.epsilon = max(0.05, 1.0 - self.steps * 2e-4)
        actions = {}
        for agent, observation in observations.items():
            actions[agent] = self._policy(agent, observation[None], tf.constant(self.epsilon))
        return actions


class Market:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def observe(self):
        return {f"agent_{i}": tf.constant(self.rng.standard_normal(SIGHT).astype("float32")) for i in range(AGENTS)}

    def step(self, actions):
        return {agent: float(action[0] == 2) for agent, action in actions.items()}


def main():
    networks = {f"agent_{i}": make_network() for i in range(AGENTS)}
    prices = np.random.default_rng(1).standard_normal((30000, SIGHT)).astype("float32")
    executor = Executor(networks, prices)
    market = Market()
    total = 0.0
    for step in range(STEPS):
        rewards = market.step(executor.select_actions(market.observe()))
        total += sum(rewards.values())
        if step % 100 == 0:
            print("step", step, "reward so far", total, flush=True)
    print("mean reward", total / STEPS)


main()
