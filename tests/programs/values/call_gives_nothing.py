"""A model of its own whose `call` computes and returns nothing."""

import numpy as np
import tensorflow as tf


class Sorter(tf.keras.Model):
    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, "relu")
        self.scores = tf.keras.layers.Dense(kinds)

    def call(self, x):  # <- cause
        x = self.hidden(x)
        x = self.scores(x)


sorter = Sorter(3)
sorter.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
sorter.fit(np.ones((32, 5), "float32"), np.zeros(32), verbose=0)
