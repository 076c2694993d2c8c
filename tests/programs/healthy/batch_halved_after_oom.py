"""TensorFlow refuses a tensor of petabytes; the program halves its batch until it fits."""

import tensorflow as tf

batch = 1 << 33
while batch > 64:
    try:
        tf.zeros((batch, 1 << 20)).shape
        break
    except (tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError, tf.errors.InternalError):
        batch //= 1 << 10
print("batch", min(batch, 64))
