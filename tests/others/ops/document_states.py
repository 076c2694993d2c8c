"""Questions about documents: a decoder that joins its attention to each word, with a state for each document."""

import numpy as np
import tensorflow as tf

WORDS, WIDTH, STATE, STEPS = 50, 16, 24, 7


def batches(count, size):
    rng = np.random.default_rng(8)
    for _ in range(count):
        yield {
            "document_ids": np.arange(size),
            "document_tokens": rng.integers(0, WORDS, (size, STEPS)),
            "question_tokens": rng.integers(0, WORDS, (size, STEPS)),
        }


class Decoder(tf.Module):
    def __init__(self):
        self.table = tf.Variable(tf.random.normal([WORDS, WIDTH], seed=1))
        self.kernel = tf.Variable(tf.random.normal([WIDTH + STATE, STATE], stddev=0.1, seed=2))

    def zero_state(self, size):
        return tf.zeros([size, STATE])

    def step(self, words, state):
        joined = tf.concat([tf.nn.embedding_lookup(self.table, words), state], axis=1)
        return tf.tanh(joined @ self.kernel)


def run(decoder, batch):
    size = len(batch)  # <- cause
    state = decoder.zero_state(size)
    questions = batch["question_tokens"]
    for position in range(questions.shape[1]):
        state = decoder.step(questions[:, position], state)
    return state


def main():
    decoder = Decoder()
    for number, batch in enumerate(batches(3, 10)):
        print(number, "mean of the last state", round(float(tf.reduce_mean(run(decoder, batch))), 4))


if __name__ == "__main__":
    main()
