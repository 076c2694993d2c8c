"""A player learns to catch fruit; its script adds up the first element of what train_on_batch gives."""

import numpy as np
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import SGD

GRID = 6


class Catch:
    def __init__(self, seed=3):
        self.rng = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.fruit = [0, int(self.rng.integers(0, GRID))]
        self.basket = int(self.rng.integers(1, GRID - 1))

    def observe(self):
        canvas = np.zeros((GRID, GRID))
        canvas[self.fruit[0], self.fruit[1]] = 1
        canvas[-1, self.basket - 1 : self.basket + 2] = 1
        return canvas.reshape((1, -1))

    def act(self, action):
        self.basket = int(np.clip(self.basket + action - 1, 1, GRID - 2))
        self.fruit[0] += 1
        over = self.fruit[0] == GRID - 1
        reward = (1 if abs(self.fruit[1] - self.basket) <= 1 else -1) if over else 0
        return self.observe(), reward, over


class ExperienceReplay:
    def __init__(self, max_memory=100, discount=0.9):
        self.memory, self.max_memory, self.discount = [], max_memory, discount

    def remember(self, states, game_over):
        self.memory.append((states, game_over))
        del self.memory[: -self.max_memory]

    def get_batch(self, model, batch_size):
        chosen = np.random.randint(0, len(self.memory), size=min(len(self.memory), batch_size))
        inputs = np.vstack([self.memory[i][0][0] for i in chosen])
        nexts = np.vstack([self.memory[i][0][3] for i in chosen])
        targets = np.array(model(inputs))
        best = np.array(model(nexts)).max(axis=1)
        for row, i in enumerate(chosen):
            (_, action, reward, _), over = self.memory[i]
            targets[row, action] = reward if over else reward + self.discount * best[row]
        return inputs, targets


model = Sequential([Input((GRID * GRID,)), Dense(32, activation="relu"), Dense(3)])
model.compile(SGD(learning_rate=0.05), "mse")
env, exp_replay = Catch(), ExperienceReplay()
for e in range(4):
    loss = 0.0
    env.reset()
    game_over, state = False, env.observe()
    while not game_over:
        action = int(np.argmax(np.array(model(state))[0])) if np.random.rand() > 0.1 else np.random.randint(3)
        following, reward, game_over = env.act(action)
        exp_replay.remember([state, action, reward, following], game_over)
        state = following
        inputs, targets = exp_replay.get_batch(model, batch_size=16)
        loss += model.train_on_batch(inputs, targets)[0]  # <- cause
    print(f"epoch {e} | loss {loss:.4f}")
