"""A tune, note by note: a small recurrent network whose samples are put behind each other in a graph's loop."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

NOTES, HIDDEN, LENGTH = 12, 8, 5


class Composer:
    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        self.into = tf.Variable(rng.normal(size=(NOTES, HIDDEN)).astype("float32") * 0.1)
        self.over = tf.Variable(rng.normal(size=(HIDDEN, HIDDEN)).astype("float32") * 0.1)
        self.out = tf.Variable(rng.normal(size=(HIDDEN, NOTES)).astype("float32") * 0.1)

    def sample(self, state):
        chances = tf.sigmoid(tf.matmul(state, self.out))
        return tf.cast(chances > 0.5, tf.float32)

    def advance(self, notes, state):
        return tf.tanh(tf.matmul(notes, self.into) + tf.matmul(state, self.over))

    def round(self, count, state, notes, music):
        notes = self.sample(state)
        state = self.advance(notes, state)
        music = tf.concat([music, notes], 0)
        return count + 1, state, notes, music

    def compose(self, first, length):
        state = tf.zeros([1, HIDDEN])
        music = tf.zeros([1, NOTES])
        variables = [tf.constant(0), state, first, music]
        *_, music = tf.while_loop(lambda count, *rest: count < length, self.round, variables)  # <- cause
        return music


def main():
    composer = Composer()
    first = tf.constant(np.eye(1, NOTES, dtype="float32"))
    tune = composer.compose(first, LENGTH)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        print("notes at once:", session.run(tune).sum(axis=1))


if __name__ == "__main__":
    main()
