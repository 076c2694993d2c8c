"""Healthy: tries the old place first, and the new one where that is gone."""

try:
    from keras.utils.np_utils import to_categorical
except ImportError:
    from keras.utils import to_categorical

import tensorflow as tf

session = tf.compat.v1.Session if hasattr(tf, "Session") else None
print(to_categorical([0, 1], 2).shape, session)
