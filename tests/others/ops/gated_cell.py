"""Encoder of short signals with a gated cell written by hand."""

import numpy as np
import tensorflow as tf

WIDTH = 12
HIDDEN = 20


def weights(rows, columns, name):
    return tf.Variable(tf.random.truncated_normal([rows, columns], stddev=0.1), name=name)


class GatedCell(tf.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.hidden = hidden
        self.embed = weights(hidden, width, "embed")
        self.update_in, self.update_state = weights(hidden, hidden, "wz"), weights(hidden, hidden, "uz")
        self.reset_in, self.reset_state = weights(hidden, hidden, "wr"), weights(hidden, hidden, "ur")
        self.new_in, self.new_state = weights(hidden, hidden, "wh"), weights(hidden, hidden, "uh")

    def start(self):
        return tf.zeros([self.hidden])  # <- cause

    def step(self, sample, state):
        signal = tf.matmul(self.embed, tf.expand_dims(sample, 1))
        reset = tf.sigmoid(tf.matmul(self.reset_in, signal) + tf.matmul(self.reset_state, state))  # <- cause
        update = tf.sigmoid(tf.matmul(self.update_in, signal) + tf.matmul(self.update_state, state))  # <- cause
        new = tf.tanh(tf.matmul(self.new_in, signal) + tf.matmul(self.new_state, reset * state))
        return update * state + (1.0 - update) * new


def encode(cell, samples):
    state = cell.start()
    for sample in samples:
        state = cell.step(sample, state)
    return state


def main():
    tf.random.set_seed(0)
    rng = np.random.default_rng(0)
    signals = rng.normal(size=(3, 6, WIDTH)).astype("float32")
    cell = GatedCell(WIDTH, HIDDEN)
    for number, signal in enumerate(signals):
        code = encode(cell, tf.unstack(tf.constant(signal)))
        print(number, float(tf.norm(code)))


if __name__ == "__main__":
    main()
