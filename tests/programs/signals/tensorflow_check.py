"""A size that TensorFlow only notices in a CHECK, which aborts the process."""

import tensorflow as tf

small = tf.ones([1, 4, 4, 3])
kernel = tf.ones([3, 3, 3, 3])
side = 2**31 - 1
image = tf.nn.conv2d_transpose(small, kernel, [side, side, side, 3], strides=1)  # <- cause
print(image.shape)
