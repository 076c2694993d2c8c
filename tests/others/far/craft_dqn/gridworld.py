import numpy as np


class GridWorld:
    """Small wood-collecting world: walk right without falling off the edge."""

    n_actions = 3
    obs_dim = 5

    def __init__(self, length=9, seed=0):
        self.length = length
        self.rng = np.random.default_rng(seed)

    def _obs(self):
        return np.array([self.pos / self.length, self.goal / self.length, self.t / 20.0,
                         float(self.pos < self.goal), 1.0], dtype=np.float32)

    def reset(self):
        self.pos, self.t = 0, 0
        self.goal = int(self.rng.integers(3, self.length))
        return self._obs()

    def step(self, action):
        self.t += 1
        self.pos = int(np.clip(self.pos + (action - 1), 0, self.length))
        done = self.pos == self.goal or self.t >= 20
        reward = 1.0 if self.pos == self.goal else -0.05
        return self._obs(), reward, done
