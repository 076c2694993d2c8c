"""A deep Q learner for Ms. Pacman with a replay memory that fits."""

from collections import deque

import numpy as np
import tensorflow as tf

HEIGHT, WIDTH = 88, 80
ACTIONS = 9
REPLAY_MEMORY_SIZE = 5_000
TRAINING_START = 500


class Arcade:
    """Frames that look like a game: a bright dot on a grey field."""

    def __init__(self, seed=5):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        return self.rng.integers(0, 255, (210, 160, 3), np.uint8)

    def step(self, action):
        return self.reset(), float(self.rng.random() < 0.1), self.rng.random() < 0.002


def preprocess(observation):
    image = observation[1:176:2, ::2]
    image = image.mean(axis=2)
    return ((image - 128) / 128 - 1).reshape(HEIGHT, WIDTH, 1).astype(np.float32)


def q_network():
    return tf.keras.Sequential(
        [
            tf.keras.Input((HEIGHT, WIDTH, 1)),
            tf.keras.layers.Conv2D(8, 8, 4, activation="elu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(ACTIONS),
        ]
    )


def sample(memory, rng, size=32):
    chosen = [memory[i] for i in rng.integers(len(memory), size=size)]
    states, actions, rewards, nexts, goes_on = (np.array(column) for column in zip(*chosen))
    return states, actions, rewards, nexts, goes_on


def main(steps=16_000):
    env, rng = Arcade(), np.random.default_rng(1)
    online = q_network()
    online.compile("adam", "mse")
    replay_memory = deque([], maxlen=REPLAY_MEMORY_SIZE)
    state = preprocess(env.reset())
    for step in range(steps):
        action = int(rng.integers(ACTIONS))
        observation, reward, done = env.step(action)
        next_state = preprocess(observation)
        replay_memory.append((state, action, reward, next_state, 1.0 - done))
        state = preprocess(env.reset()) if done else next_state
        if step > TRAINING_START and step % 400 == 0:
            states, actions, rewards, nexts, goes_on = sample(replay_memory, rng)
            targets = online.predict_on_batch(states.astype("float32"))
            best = online.predict_on_batch(nexts.astype("float32")).max(1)
            targets[np.arange(len(actions)), actions] = rewards + goes_on * 0.99 * best
            loss = online.train_on_batch(states.astype("float32"), targets)
            print(step, "loss", float(loss), flush=True)


if __name__ == "__main__":
    main()
