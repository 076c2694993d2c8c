"""Takes an initializer from tf.contrib, which is gone as a whole."""

import tensorflow as tf

shape = [4, 2]
initializer = tf.contrib.layers.xavier_initializer()  # <- cause
print(initializer(shape))
