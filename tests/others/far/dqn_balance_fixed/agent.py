"""A minimal DQN agent with a replay memory."""
import collections

import numpy as np


class PoleAgent:
    def __init__(self, model, n_actions, rng, gamma=0.95, epsilon=0.3):
        if tuple(model.output_shape) != (None, n_actions):
            raise ValueError(
                f"network output {model.output_shape} has an invalid shape: the "
                f"agent needs one value per action, here {n_actions}"
            )
        self.model = model
        self.n_actions = n_actions
        self.rng = rng
        self.gamma = gamma
        self.epsilon = epsilon
        self.memory = collections.deque(maxlen=500)

    def compile(self, optimizer):
        self.model.compile(optimizer=optimizer, loss="mse")

    def q_values(self, states):
        return self.model(np.asarray(states, dtype="float32")).numpy()

    def act(self, state):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(self.n_actions))
        return int(np.argmax(self.q_values(state[None, :])[0]))

    def play(self, env):
        state, done, total = env.reset(), False, 0.0
        while not done:
            action = self.act(state)
            following, reward, done = env.step(action)
            self.memory.append((state, action, reward, following, done))
            state = following
            total += reward
        return total

    def replay(self, batch_size=16):
        picks = self.rng.integers(len(self.memory), size=batch_size)
        states, actions, rewards, nexts, dones = zip(*[self.memory[i] for i in picks])
        targets = self.q_values(states)
        best_next = self.q_values(nexts).max(axis=1)
        future = np.where(dones, 0.0, self.gamma * best_next)
        targets[np.arange(batch_size), list(actions)] = np.array(rewards) + future
        return float(self.model.train_on_batch(np.asarray(states, "float32"), targets))
