"""A sentence encoder as a package ships it: a layer made for Keras 2."""

import numpy as np
import tensorflow as tf
import tf_keras


class SentenceEncoder(tf_keras.layers.Layer):
    def __init__(self, width=16, buckets=500, **kwargs):
        super().__init__(**kwargs)
        rng = np.random.default_rng(3)
        self.buckets = buckets
        self.table = tf.constant(rng.normal(size=(buckets, width)), tf.float32)

    def call(self, sentences):
        words = tf.strings.split(tf.reshape(sentences, [-1]))
        ids = tf.strings.to_hash_bucket_fast(words.flat_values, self.buckets)
        vectors = words.with_flat_values(tf.gather(self.table, ids))
        return tf.reduce_mean(vectors, axis=1)
