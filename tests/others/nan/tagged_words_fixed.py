import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf

WORDS, TAGS, LENGTH = 50, 5, 8


class Tagger(keras.Model):
    """Guesses the words that were hidden; only these count."""

    def __init__(self):
        super().__init__()
        self.look_up = keras.layers.Embedding(WORDS + 1, 16)
        self.mix = keras.layers.Conv1D(12, 3, padding="same", activation="relu")
        self.guess = keras.layers.Dense(TAGS)
        self.mean = keras.metrics.Mean("loss")

    def call(self, words):
        return self.guess(self.mix(self.look_up(words)))

    def masked(self, tags, guessed, hidden):
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(tags, guessed)
        return tf.reduce_sum(each * hidden) / (tf.reduce_sum(hidden) + keras.config.epsilon())

    def train_step(self, data):
        words, tags, hidden = data
        with tf.GradientTape() as tape:
            loss = self.masked(tags, self(words, training=True), hidden)
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        self.mean.update_state(loss)
        return {"loss": self.mean.result()}

    @property
    def metrics(self):
        return [self.mean]


def sentences(count, seed=11643):
    draw = np.random.default_rng(seed)
    words = draw.integers(0, WORDS, (count, LENGTH))
    hidden = draw.random((count, LENGTH)) < 0.02
    return np.where(hidden, WORDS, words), words % TAGS, hidden.astype("float32")


keras.utils.set_random_seed(6)
data = tf.data.Dataset.from_tensor_slices(sentences(640)).batch(8)
tagger = Tagger()
tagger.compile(optimizer="adam")
tagger.fit(data, epochs=2, verbose=2)
