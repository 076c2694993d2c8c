"""Plays letter by letter: a GRU that may go on from a state of an earlier call."""

import numpy as np
import tensorflow as tf

LETTERS, WIDTH, UNITS = 30, 12, 24
BATCH, STEPS = 8, 10


class LetterModel(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(LETTERS, WIDTH)
        self.gru = tf.keras.layers.GRU(UNITS, return_sequences=True, return_state=True)
        self.dense = tf.keras.layers.Dense(LETTERS)

    def call(self, inputs, states=None, return_state=False, training=False):
        x = self.embedding(inputs, training=training)
        if states is None:
            states = self.gru.get_initial_state(x)  # <- cause
        x, states = self.gru(x, initial_state=states, training=training)
        x = self.dense(x, training=training)
        return (x, states) if return_state else x


def dataset(count=64):
    rows = np.random.default_rng(4).integers(0, LETTERS, (count, STEPS + 1))
    data = tf.data.Dataset.from_tensor_slices(rows).map(lambda row: (row[:-1], row[1:]))
    return data.batch(BATCH, drop_remainder=True)


def main():
    model = LetterModel()
    for letters, following in dataset().take(1):
        scores = model(letters)
        loss = tf.keras.losses.sparse_categorical_crossentropy(following, scores, from_logits=True)
        print(scores.shape, "mean loss", round(float(tf.reduce_mean(loss)), 3))


if __name__ == "__main__":
    main()
