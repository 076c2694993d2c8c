"""Balance a toy pole with a small Q-network."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

from agent import PoleAgent

SEED = 11
EPISODES = 3


class PoleEnv:
    """Four numbers describe the cart: position, speed, angle, spin."""

    n_actions = 2
    n_observations = 4

    def __init__(self, rng):
        self.rng = rng
        self.state = None
        self.clock = 0

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, size=self.n_observations)
        self.clock = 0
        return self.state.copy()

    def step(self, action):
        push = 1.0 if action == 1 else -1.0
        x, v, angle, spin = self.state
        v += 0.02 * push
        spin += 0.03 * angle - 0.02 * push
        self.state = np.array([x + 0.02 * v, v, angle + 0.02 * spin, spin])
        self.clock += 1
        done = abs(self.state[2]) > 0.2 or self.clock >= 15
        return self.state.copy(), 1.0, done


def build_network(env):
    net = keras.Sequential(name="q_values")
    net.add(layers.InputLayer(shape=(1, env.n_observations)))  # <- cause
    net.add(layers.Dense(24, activation="relu"))
    net.add(layers.Dense(24, activation="relu"))
    net.add(layers.Dense(env.n_actions, activation="linear"))
    return net


def main():
    rng = np.random.default_rng(SEED)
    keras.utils.set_random_seed(SEED)
    env = PoleEnv(rng)
    network = build_network(env)
    agent = PoleAgent(network, n_actions=env.n_actions, rng=rng)
    agent.compile(keras.optimizers.Adam(1e-3))
    for episode in range(EPISODES):
        total = agent.play(env)
        loss = agent.replay()
        print(f"episode {episode}: reward {total:.0f}, td loss {loss:.4f}")


if __name__ == "__main__":
    main()
