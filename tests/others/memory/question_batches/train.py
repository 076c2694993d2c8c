"""Marks the answer in documents by comparing all their words."""

import numpy as np
import tensorflow as tf

import data

tf.random.set_seed(0)


class AnswerModel(tf.keras.Model):
    """Compares every word of a document with every other one and marks the answer."""

    def __init__(self, depth=32):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(data.WORDS, depth)
        self.query = tf.keras.layers.Dense(depth)
        self.key = tf.keras.layers.Dense(depth)
        self.out = tf.keras.layers.Dense(1)

    def call(self, ids):
        words = self.embed(ids)
        pairs = self.query(words)[:, :, None, :8] + self.key(words)[:, None, :, :8]
        weights = tf.nn.softmax(tf.reduce_sum(tf.tanh(pairs), axis=-1), axis=-1)
        context = tf.matmul(weights, words)
        return self.out(tf.concat([words, context], axis=-1))[..., 0]


def main():
    examples = data.documents(512)
    model = AnswerModel()
    optimizer = tf.keras.optimizers.Adam(1e-3)
    for epoch in range(1):
        losses = []
        for ids, answer in data.batches(examples):
            with tf.GradientTape() as tape:
                scores = model(ids)
                loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(answer, scores))
            grads = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
            losses.append(float(loss))
            if len(losses) % 8 == 0:
                print("batch", len(losses), "loss", losses[-1], flush=True)
        print("epoch", epoch, "loss", np.mean(losses))


main()
