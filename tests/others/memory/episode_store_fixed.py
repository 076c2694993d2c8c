import os
from collections import deque

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class Worker:
    """Plays episodes; the better the player, the longer they are."""

    def __init__(self, seed=4):
        self.draw = np.random.default_rng(seed)

    def episodes(self, number, skill):
        return [
            {
                "observation": self.draw.random((30 + skill, 40, 40), dtype="float32"),
                "action": self.draw.integers(0, 4, 30 + skill),
                "outcome": float(self.draw.random() < 0.5),
            }
            for _ in range(number)
        ]


class Trainer:
    def __init__(self):
        self.episodes = deque(maxlen=1000)
        inputs = keras.Input((40, 40))
        self.model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Flatten()(inputs)))
        self.model.compile(keras.optimizers.SGD(1e-5), "mse")
        self.draw = np.random.default_rng(9)

    def feed(self, episodes):
        self.episodes.extend([one for one in episodes if one is not None])

    def train(self):
        picked = [self.episodes[int(at)] for at in self.draw.integers(0, len(self.episodes), 16)]
        states = np.stack([one["observation"][-1] for one in picked])
        return self.model.train_on_batch(states, np.array([[one["outcome"]] for one in picked]))


worker, trainer = Worker(), Trainer()
for generation in range(100):
    trainer.feed(worker.episodes(64, skill=generation // 10))
    print("generation", generation, "loss", float(trainer.train()), flush=True)
