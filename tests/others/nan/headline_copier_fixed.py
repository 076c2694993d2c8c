"""Headlines from articles by a pointer-generator: words are made from a vocabulary or copied."""

import numpy as np
import tensorflow as tf

VOCAB, EXTRA = 200, 30
ARTICLE, HEADLINE = 24, 6


class Copier(tf.keras.Model):
    def __init__(self, width=32):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(VOCAB + EXTRA, width)
        self.encode = tf.keras.layers.GRU(width, return_sequences=True)
        self.decode = tf.keras.layers.GRU(width, return_sequences=True)
        self.generate = tf.keras.layers.Dense(VOCAB)
        self.switch = tf.keras.layers.Dense(1, activation="sigmoid")

    def final_distribution(self, article, previous):
        states = self.encode(self.embed(article))
        decoded = self.decode(self.embed(previous))
        attention = tf.nn.softmax(tf.matmul(decoded, states, transpose_b=True))
        context = tf.concat([decoded, tf.matmul(attention, states)], -1)
        p_gen = self.switch(context)
        made = p_gen * tf.nn.softmax(self.generate(context))
        made = tf.pad(made, [[0, 0], [0, 0], [0, EXTRA]])
        places = tf.one_hot(article, VOCAB + EXTRA)
        copied = tf.matmul((1.0 - p_gen) * attention, places)
        return made + copied


def make_news(count, rng):
    article = rng.integers(0, VOCAB, (count, ARTICLE))
    article[:, ::8] = rng.integers(VOCAB, VOCAB + EXTRA, (count, 3))
    picked = rng.integers(0, ARTICLE, (count, HEADLINE))
    headline = np.take_along_axis(article, picked, 1)
    editors = rng.random(count) < 0.004  # a name that only the editor knew
    headline[editors, 2] = VOCAB + rng.integers(0, EXTRA, editors.sum())
    previous = np.concatenate([np.zeros((count, 1), int), headline[:, :-1]], 1)
    return article, previous, headline


def main(batch=32):
    article, previous, headline = make_news(4_000, np.random.default_rng(9))
    model, optimizer = Copier(), tf.keras.optimizers.Adagrad(0.15)

    @tf.function
    def step(article, previous, headline):
        with tf.GradientTape() as tape:
            dist = model.final_distribution(article, previous)
            gold = tf.gather(dist, headline, batch_dims=2)
            loss = tf.reduce_mean(-tf.math.log(gold + 1e-10))
        grads = tape.gradient(loss, model.trainable_variables)
        grads, _ = tf.clip_by_global_norm(grads, 2.0)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for number, start in enumerate(range(0, len(article), batch)):
        rows = slice(start, start + batch)
        loss = step(*(tf.constant(part[rows], tf.int32) for part in (article, previous, headline)))
        if number % 20 == 0:
            print("batch", number, "loss", float(loss), flush=True)


if __name__ == "__main__":
    main()
