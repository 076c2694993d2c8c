"""An image is reshaped to a size that it does not have."""

import tensorflow as tf

image = tf.zeros([28, 28])
patches = tf.reshape(image, [16, 48])  # <- cause
print(patches.shape)
