import numpy as np


class YawEnv:
    """Turn a turbine into the wind; power is only paid above the cut-in speed."""

    CUT_IN = 3.5

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self, mean_speed):
        self.mean = mean_speed
        self.yaw = self.rng.uniform(-1, 1)
        self.t = 0
        return self._obs()

    def _obs(self):
        self.speed = max(0.0, self.rng.normal(self.mean, 0.4))
        self.wind = np.sin(self.t / 7.0)
        return np.array([self.yaw, self.wind, self.speed / 10.0], "float32")

    def step(self, action):
        self.yaw += (action - 1) * 0.15
        power = 0.0
        if self.speed > self.CUT_IN:
            power = self.speed * np.exp(-4 * (self.yaw - self.wind) ** 2)
        self.t += 1
        return self._obs(), power, self.t >= 25
