"""A loop asks for one row more than the tensor has."""

import tensorflow as tf

scores = tf.random.uniform([4, 2])
total = 0.0
for index in range(5):
    total += scores[index][0]  # <- cause
