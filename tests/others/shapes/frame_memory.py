"""An agent that plays from frames: memory of windows, and a network that values actions. Keras 2."""

from collections import deque

import numpy as np
from tf_keras.layers import Conv2D, Dense, Flatten
from tf_keras.models import Sequential

FRAME, ACTIONS = (20, 24, 3), 4


class Memory:
    def __init__(self, limit, window_length):
        self.frames, self.window_length = deque(maxlen=limit), window_length

    def append(self, frame):
        self.frames.append(frame)

    def state(self):
        recent = list(self.frames)[-self.window_length :]
        return np.array(recent)


class Agent:
    def __init__(self, model, memory):
        self.model, self.memory = model, memory

    def values(self, state):
        return self.model.predict_on_batch(np.array([state])).flatten()  # <- cause

    def act(self, frame):
        self.memory.append(frame)
        return self.values(self.memory.state()).argmax()  # <- cause


def network():
    model = Sequential()
    model.add(Conv2D(4, 5, strides=2, activation="relu", input_shape=FRAME))  # <- cause
    model.add(Conv2D(8, 3, strides=2, activation="relu"))
    model.add(Flatten())
    model.add(Dense(ACTIONS))
    return model


agent = Agent(network(), Memory(limit=100, window_length=1))
rng = np.random.default_rng(4)
print("actions", [int(agent.act(rng.random(FRAME).astype("float32"))) for _ in range(5)])
