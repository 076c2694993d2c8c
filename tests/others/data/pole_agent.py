"""A deep Q-learner for the pole on a cart; the state that the new environment gives cannot be reshaped to four
numbers."""

import random
from collections import deque

import numpy as np
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import Adam

EPISODES = 2


class PoleEnvironment:
    """The part of gym's CartPole-v1 that the agent uses, with the interface of gym 0.26."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, size=4).astype("float32")
        return self.state, {}

    def step(self, action):
        push = 0.1 if action == 1 else -0.1
        self.state = self.state + np.array([self.state[1], push, self.state[3], -push], dtype="float32") * 0.5
        done = bool(abs(self.state[2]) > 0.2)
        return self.state, 1.0, done, False, {}


class DQNAgent:
    def __init__(self, state_size, action_size):
        self.state_size, self.action_size = state_size, action_size
        self.memory = deque(maxlen=2000)
        self.gamma, self.epsilon = 0.95, 0.5
        self.model = Sequential([Input((state_size,)), Dense(24, activation="relu"), Dense(action_size)])
        self.model.compile(loss="mse", optimizer=Adam(learning_rate=0.001))

    def memorize(self, *transition):
        self.memory.append(transition)

    def act(self, state):
        if np.random.rand() <= self.epsilon:
            return random.randrange(self.action_size)
        return int(np.argmax(self.model.predict(state, verbose=0)[0]))

    def replay(self, batch_size):
        for state, action, reward, next_state, done in random.sample(self.memory, batch_size):
            target = reward if done else reward + self.gamma * np.amax(self.model.predict(next_state, verbose=0)[0])
            target_f = self.model.predict(state, verbose=0)
            target_f[0][action] = target
            self.model.fit(state, target_f, epochs=1, verbose=0)


if __name__ == "__main__":
    env = PoleEnvironment()
    state_size, action_size = 4, 2
    agent = DQNAgent(state_size, action_size)
    for e in range(EPISODES):
        state = env.reset()  # <- cause
        state = np.reshape(state, [1, state_size])
        for time in range(12):
            action = agent.act(state)
            next_state, reward, done, _, _ = env.step(action)
            next_state = np.reshape(next_state, [1, state_size])
            agent.memorize(state, action, reward, next_state, done)
            state = next_state
            if done:
                break
        print(f"episode {e}: {time} steps")
        if len(agent.memory) > 4:
            agent.replay(4)
