import numpy as np
import tensorflow as tf
from tensorflow import keras

CABS = 4


class City:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def demand(self):
        return self.rng.uniform(0, 1, CABS + 2).astype("float32")

    def fare(self, state, cab):
        return float(state[cab] + 0.1 * self.rng.normal())


class Agent:
    def __init__(self, lr=3e-3):
        self.actor = self._net(CABS, "softmax")
        self.critic = self._net(1, None)
        self.actor.compile(optimizer=keras.optimizers.Adam(lr), loss=self.policy_loss)
        self.critic.compile(optimizer=keras.optimizers.Adam(lr), loss="mse")

    @staticmethod
    def _net(n_out, activation):
        return keras.Sequential([
            keras.Input((CABS + 2,)),
            keras.layers.Dense(20, activation="tanh"),
            keras.layers.Dense(n_out, activation=activation),
        ])

    @staticmethod
    def policy_loss(policy, advantage):  # <- cause
        return -tf.reduce_sum(tf.math.log(policy) * advantage, axis=-1)

    def choose(self, state, rng):
        p = self.actor(state[None]).numpy()[0]
        return int(np.searchsorted(np.cumsum(p), rng.random() * p.sum()))

    def learn(self, states, cabs, fares):
        value = self.critic(states).numpy()[:, 0]
        advantage = np.zeros((len(cabs), CABS), "float32")
        advantage[np.arange(len(cabs)), cabs] = fares - value
        a = self.actor.train_on_batch(states, advantage)
        c = self.critic.train_on_batch(states, fares[:, None])
        return float(a), float(c)


def main(shifts=6, rides=32):
    keras.utils.set_random_seed(2)
    city, agent = City(), Agent()
    for shift in range(shifts):
        states = np.stack([city.demand() for _ in range(rides)])
        cabs = np.array([min(agent.choose(s, city.rng), CABS - 1) for s in states])
        fares = np.array([city.fare(s, k) for s, k in zip(states, cabs)], "float32")
        a, c = agent.learn(states, cabs, fares)
        print(f"shift {shift}: actor {a:.4f} critic {c:.4f} mean fare {fares.mean():.3f}")


if __name__ == "__main__":
    main()
