import os
import random
from collections import deque

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class Agent:
    def __init__(self, shape, actions):
        self.memory = deque(maxlen=2000)
        self.actions = actions
        self.model = keras.Sequential([keras.Input(shape), keras.layers.Flatten(), keras.layers.Dense(actions)])
        self.model.compile("adam", "mse")

    def act(self, state):
        return random.randrange(self.actions)

    def remember(self, *step):
        self.memory.append(step)

    def replay(self, size):
        states, actions, rewards, after, done = map(np.array, zip(*random.sample(self.memory, size)))
        best = rewards + 0.99 * self.model.predict_on_batch(after).max(1) * (1 - done)
        wanted = self.model.predict_on_batch(states)
        wanted[np.arange(size), actions] = best
        self.model.train_on_batch(states, wanted)


rng = np.random.default_rng(8)
agent = Agent((105, 80, 4), 4)
frames = [rng.integers(0, 255, (105, 80, 1), dtype="uint8") for _ in range(50)]
state = np.concatenate(frames[:4], axis=2)
for step in range(8_000):
    action = agent.act(state)
    after = np.concatenate([state[..., 1:], frames[step % 50]], axis=2)
    agent.remember(state, action, 0.0, after / 255.0 if step % 4 == 0 else after, False)
    state = after
    if step % 500 == 499:
        agent.replay(32)
