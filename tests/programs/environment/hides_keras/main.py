"""The program's own keras.py is what TensorFlow finds for `tensorflow.keras`."""

import tensorflow as tf

from keras import small_net  # <- cause

print(small_net(3)(tf.ones((2, 3))).shape)
