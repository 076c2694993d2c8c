"""Not old code: a name that no version ever had."""

import tensorflow as tf

print(tf.reduce_menas([1.0, 2.0]))  # <- cause
