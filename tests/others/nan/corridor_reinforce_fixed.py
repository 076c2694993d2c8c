import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf


class Corridor:
    """A walk of nine cells; the last one pays."""

    cells, longest = 9, 12

    def reset(self):
        self.place, self.time = 4, 0
        return self._seen()

    def _seen(self):
        return np.eye(self.cells, dtype="float32")[self.place]

    def step(self, action):
        self.place = min(max(self.place + (1 if action else -1), 0), self.cells - 1)
        self.time += 1
        paid = 1.0 if self.place == self.cells - 1 else 0.0
        return self._seen(), paid, bool(paid) or self.time >= self.longest


class PolicyGradient:
    def __init__(self, features, actions, rate=0.05, decay=0.95, seed=2):
        keras.utils.set_random_seed(seed)
        self.draw = np.random.default_rng(seed)
        self.actions, self.decay = actions, decay
        self.network = keras.Sequential(
            [keras.Input((features,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(actions)]
        )
        self.optimizer = keras.optimizers.Adam(rate)
        self.forget()

    def forget(self):
        self.seen, self.done, self.paid = [], [], []

    def choose(self, observation):
        weights = tf.nn.softmax(self.network(observation[None])).numpy()[0].astype("float64")
        return self.draw.choice(self.actions, p=weights / weights.sum())

    def store(self, observation, action, reward):
        self.seen.append(observation)
        self.done.append(action)
        self.paid.append(reward)

    def returns(self):
        values, running = np.zeros(len(self.paid)), 0.0
        for at in reversed(range(len(self.paid))):
            running = self.paid[at] + self.decay * running
            values[at] = running
        values -= np.mean(values)
        values /= np.std(values) + 1e-8
        return values

    def learn(self):
        wanted = tf.constant(self.returns(), tf.float32)
        with tf.GradientTape() as tape:
            logits = self.network(np.stack(self.seen))
            taken = tf.nn.sparse_softmax_cross_entropy_with_logits(np.array(self.done), logits)
            loss = tf.reduce_mean(taken * wanted)
        variables = self.network.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.forget()
        return float(loss)


def main(episodes=40):
    world = Corridor()
    agent = PolicyGradient(world.cells, 2)
    for episode in range(episodes):
        observation, over, total = world.reset(), False, 0.0
        while not over:
            action = agent.choose(observation)
            after, reward, over = world.step(action)
            agent.store(observation, action, reward)
            observation, total = after, total + reward
        print("episode", episode, "reward", total, "loss", agent.learn(), flush=True)


main()
