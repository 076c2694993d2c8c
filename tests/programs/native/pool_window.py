"""A window of a pooling layer that does not fit into 32 bits."""

import numpy as np
import tensorflow as tf

series = np.ones((17, 7, 14), np.float32)
window = 2**41
print(tf.nn.max_pool1d(series, ksize=[window], strides=[4], padding="SAME"))  # <- cause
