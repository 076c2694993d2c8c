"""A metric of one's own mixes types."""

import keras
import numpy as np
import tensorflow as tf


class Share(keras.metrics.Metric):
    def __init__(self, name="share", **kwargs):
        super().__init__(name=name, **kwargs)
        self.right = self.add_variable(shape=(), initializer="zeros", name="right")
        self.seen = self.add_variable(shape=(), initializer="zeros", name="seen")

    def update_state(self, y_true, y_pred, sample_weight=None):
        guess = tf.argmax(y_pred, axis=-1)
        hits = tf.equal(guess, tf.cast(tf.reshape(y_true, [-1]), tf.int64))
        count = tf.reduce_sum(tf.cast(hits, tf.int32))
        total = tf.cast(tf.size(y_true), tf.float32)
        self.right.assign_add(count / total * 1.0 + count)  # <- cause
        self.seen.assign_add(total)

    def result(self):
        return self.right / self.seen


x = np.zeros((12, 3), "float32")
y = np.zeros((12,), "int32")
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=[Share()])
model.fit(x, y, verbose=0)
