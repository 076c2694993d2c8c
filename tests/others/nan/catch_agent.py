import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import random

import numpy as np
from tensorflow import keras


class Catch:
    """A fruit falls, a basket moves; the score counts in thousands."""

    def __init__(self, size=8):
        self.size = size
        self.reset()

    def reset(self):
        self.fruit, self.row, self.basket = random.randrange(self.size), 0, self.size // 2
        return self.state()

    def state(self):
        board = np.zeros((self.size, self.size), "float32")
        board[self.row, self.fruit] = 255.0
        board[-1, self.basket] = 255.0
        return board.ravel()

    def play(self, action):
        self.basket = min(self.size - 1, max(0, self.basket + action - 1))
        self.row += 1
        over = self.row == self.size - 1
        reward = (1000.0 if self.fruit == self.basket else -1000.0) if over else 0.0
        return self.state(), reward, over


class Agent:
    def __init__(self, inputs, actions=3, gamma=0.9, rate=0.2):  # <- cause
        self.gamma, self.actions = gamma, actions
        self.memory = []
        self.model = keras.Sequential(
            [keras.Input((inputs,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(actions)]
        )
        self.model.compile(keras.optimizers.SGD(learning_rate=rate), "mse")  # <- cause

    def choose(self, state, epsilon=0.3):
        if random.random() < epsilon:
            return random.randrange(self.actions)
        return int(np.argmax(self.model(state[None]).numpy()[0]))

    def get_batch(self, count=16):
        chosen = random.sample(self.memory, min(count, len(self.memory)))
        states = np.stack([one[0] for one in chosen])
        targets = self.model(states).numpy()
        ahead = self.model(np.stack([one[3] for one in chosen])).numpy()
        for row, (_, action, reward, _, over) in enumerate(chosen):
            targets[row, action] = reward if over else reward + self.gamma * ahead[row].max()
        return states, targets

    def learn(self):
        return self.model.train_on_batch(*self.get_batch())


def main():
    random.seed(5)
    keras.utils.set_random_seed(5)
    game, agent = Catch(), None
    for epoch in range(12):
        state, over, loss = game.reset(), False, 0.0
        agent = agent or Agent(len(state))
        while not over:
            action = agent.choose(state)
            after, reward, over = game.play(action)
            agent.memory.append((state, action, reward, after, over))
            state = after
            loss = agent.learn()
        print(f"Epoch {epoch:03d} | Loss {loss:.4f}")


if __name__ == "__main__":
    main()
