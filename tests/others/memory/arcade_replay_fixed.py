import collections
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

HIGH, WIDE, ACTIONS = 88, 80, 4
MEMORY_SIZE = 4_000

Transition = collections.namedtuple("Transition", "state action reward after going_on")


class Arcade:
    def __init__(self, seed=2):
        self.draw = np.random.default_rng(seed)

    def screen(self):
        return self.draw.integers(0, 255, (176, 160, 3), dtype="uint8")

    def step(self, action):
        return self.screen(), float(action == 1), self.draw.random() < 0.01


def preprocess(screen):
    picture = screen[::2, ::2].mean(axis=2)
    return ((picture - 128.0) / 128.0).reshape(HIGH, WIDE, 1)


def q_network():
    model = keras.Sequential([keras.Input((HIGH, WIDE, 1))])
    model.add(keras.layers.Conv2D(4, 8, strides=8, activation="relu"))
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(ACTIONS))
    model.compile("adam", "mse")
    return model


class Agent:
    def __init__(self, start_after):
        self.memory = collections.deque(maxlen=MEMORY_SIZE)
        self.network = q_network()
        self.start_after = start_after
        self.draw = np.random.default_rng(0)

    def play(self, arcade, steps):
        state = preprocess(arcade.screen())
        for step in range(steps):
            action = int(self.draw.integers(ACTIONS))
            screen, reward, over = arcade.step(action)
            after = preprocess(screen)
            self.memory.append(Transition(state, action, reward, after, 1.0 - over))
            state = after
            if step > self.start_after and step % 5000 == 0:
                self.learn(32)
            if step % 2000 == 0:
                print("step", step, "remembered", len(self.memory), flush=True)

    def learn(self, count):
        picked = [self.memory[at] for at in self.draw.integers(0, len(self.memory), count)]
        states = np.stack([one.state for one in picked])
        after = self.network.predict_on_batch(np.stack([one.after for one in picked])).max(axis=1)
        values = self.network.predict_on_batch(states)
        for row, one in enumerate(picked):
            values[row, one.action] = one.reward + one.going_on * 0.99 * after[row]
        self.network.train_on_batch(states, values)


Agent(start_after=1000).play(Arcade(), 22_000)
