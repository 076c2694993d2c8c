"""Two grids of different sizes are added."""

import tensorflow as tf

small = tf.random.normal([10, 10])
large = tf.random.normal([20, 20])
total = small + large  # <- cause
print(total)
