import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

STATE = ["x", "y", "vx", "vy", "goal_x", "goal_y", "fuel"]


def make_model():
    model = tf.keras.models.Sequential(
        [
            tf.keras.layers.Input(shape=(len(STATE),)),
            tf.keras.layers.Dense(12, activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer="adam", loss="mse")
    return model


def simulate(n=500):
    rng = np.random.default_rng(14)
    states = rng.uniform(-1, 1, size=(n, len(STATE))).astype("float32")
    gap = np.hypot(states[:, 0] - states[:, 4], states[:, 1] - states[:, 5])
    value = (states[:, 6] - gap).astype("float32")
    return states, value


def choices(state):
    """All states reachable with one thrust."""
    for dx, dy in [(0.1, 0), (-0.1, 0), (0, 0.1), (0, -0.1)]:
        nxt = state.copy()
        nxt[2] += dx
        nxt[3] += dy
        nxt[0] += nxt[2]
        nxt[1] += nxt[3]
        nxt[6] -= 0.05
        yield (dx, dy), nxt  # <- cause


def best_move(model, state):
    ranked = []
    for move, nxt in choices(state):
        worth = model.predict(nxt, verbose=0)  # <- cause
        ranked.append((float(worth[0, 0]), move))
    return max(ranked)


def main():
    tf.keras.utils.set_random_seed(14)
    states, value = simulate()
    model = make_model()
    model.fit(states, value, epochs=3, batch_size=32, verbose=2)

    state = np.zeros(len(STATE), dtype="float32")
    state[4:] = [0.5, -0.5, 1.0]
    for turn in range(2):
        worth, move = best_move(model, state)
        state = dict(choices(state))[move]
        print("turn %d: thrust %s, worth %.3f" % (turn, move, worth))


if __name__ == "__main__":
    main()
