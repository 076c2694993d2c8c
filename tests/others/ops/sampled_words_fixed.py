"""Decoder that learns sentences and then samples some in a loop."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(3)

WORDS = 30
LENGTH = 12
START = 1


class Decoder(tf.Module):
    """Writes a sentence word by word from the state of an encoder."""

    def __init__(self, depth):
        super().__init__()
        self.embedding = tf.Variable(tf.random.normal([WORDS, depth], stddev=0.1))
        self.cell = tf.keras.layers.GRUCell(depth)
        self.scores = tf.keras.layers.Dense(WORDS)

    def train_scores(self, state, words):
        outputs = []
        for t in range(words.shape[1] - 1):
            out, state = self.cell(tf.gather(self.embedding, words[:, t]), [state])
            state = state[0]
            outputs.append(self.scores(out))
        return tf.stack(outputs, axis=1)

    @tf.function
    def sample(self, state, length):
        batch = tf.shape(state)[0]
        words = tf.TensorArray(tf.int64, size=length)
        symbol = tf.fill([batch], tf.constant(START, tf.int64))
        for t in tf.range(length):
            out, new_state = self.cell(tf.gather(self.embedding, symbol), [state])
            state = new_state[0]
            symbol = tf.reshape(tf.random.categorical(self.scores(out), 1), [-1])
            words = words.write(t, symbol)
        return words.stack()


def main():
    rng = np.random.default_rng(0)
    encoded = tf.constant(rng.standard_normal((64, 24)).astype("float32"))
    sentences = rng.integers(2, WORDS, (64, LENGTH))
    sentences[:, 0] = START
    sentences = tf.constant(sentences)
    decoder = Decoder(24)
    optimizer = tf.keras.optimizers.Adam(5e-3)
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for step in range(20):
        with tf.GradientTape() as tape:
            loss = loss_fn(sentences[:, 1:], decoder.train_scores(encoded, sentences))
        variables = [decoder.embedding] + decoder.cell.trainable_variables + decoder.scores.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        if step % 5 == 0:
            print("step", step, "loss", float(loss))
    words = decoder.sample(encoded[:3], LENGTH)
    print("sampled", words.shape)


main()
