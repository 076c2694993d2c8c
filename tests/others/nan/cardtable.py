"""Imitation learning for a trick-taking card game, then self play."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

N_CARDS = 12


def expert_games(n, rng):
    counts = rng.integers(0, 400, (n, N_CARDS)).astype("float32")
    return counts, counts.argmax(axis=1)


class Player:
    def __init__(self, seed=0):
        keras.utils.set_random_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.net = keras.Sequential([
            keras.Input((N_CARDS,)),
            keras.layers.Dense(N_CARDS),
        ])

    def imitate(self, x, y, epochs=15):
        self.net.compile(optimizer=keras.optimizers.Adam(0.02),
                         loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        self.net.fit(x, y, batch_size=64, epochs=epochs, verbose=0)

    def move(self, counts, legal):
        logits = self.net(counts[None])[0]
        policy = tf.nn.softmax(logits).numpy().astype("float64")  # <- cause
        probs = np.zeros(N_CARDS)  # <- cause
        probs[legal] = policy[legal]  # <- cause
        probs /= probs.sum()  # <- cause
        return int(self.rng.choice(N_CARDS, p=probs))


def self_play(player, rng, hands=20):
    played = []
    for _ in range(hands):
        counts = rng.integers(0, 400, N_CARDS).astype("float32")
        suits = rng.permutation(N_CARDS).reshape(4, 3)
        for suit in suits:
            played.append(player.move(counts, np.sort(suit)))
    return played


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    player = Player()
    player.imitate(*expert_games(1500, rng))
    cards = self_play(player, rng)
    print("cards played", len(cards), "favourite", np.bincount(cards).argmax())
