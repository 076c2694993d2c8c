"""Attention with several heads in a layer of one's own, with different widths for keys and for values."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class MultiHead(keras.layers.Layer):
    def __init__(self, n_head, d_model, d_k, d_v, **kwargs):
        super().__init__(**kwargs)
        self.n_head, self.d_k, self.d_v = n_head, d_k, d_v
        self.queries = keras.layers.Dense(n_head * d_k, use_bias=False)
        self.keys = keras.layers.Dense(n_head * d_k, use_bias=False)
        self.values = keras.layers.Dense(n_head * d_v, use_bias=False)
        self.output_layer = keras.layers.Dense(d_model)

    def split(self, x):
        s = tf.shape(x)
        x = tf.reshape(x, [s[0], s[1], self.n_head, x.shape[-1] // self.n_head])
        x = tf.transpose(x, [0, 2, 1, 3])
        return x

    def call(self, q, k, v):
        qs, ks, vs = self.split(self.queries(q)), self.split(self.keys(k)), self.split(self.values(v))
        scores = tf.matmul(qs, ks, transpose_b=True) / self.d_k**0.5
        mixed = tf.matmul(tf.nn.softmax(scores), vs)
        joined = tf.transpose(mixed, [0, 2, 1, 3])
        s = tf.shape(joined)
        return self.output_layer(tf.reshape(joined, [s[0], s[1], self.n_head * self.d_v]))


def main():
    tf.random.set_seed(5)
    sentences = np.random.default_rng(5).normal(size=(3, 7, 20)).astype("float32")
    layer = MultiHead(n_head=4, d_model=20, d_k=5, d_v=6)
    mixed = layer(sentences, sentences, sentences)
    print("mixed", mixed.shape, round(float(tf.reduce_mean(mixed)), 4))


if __name__ == "__main__":
    main()
