"""Features and labels of different rows are put into one data set."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(8)
table = rng.normal(size=(120, 5)).astype("float32")
features = table[:, :4]
labels = (table[20:, 4] > 0).astype("int64")
data = tf.data.Dataset.from_tensor_slices((features, labels))  # <- cause
print(sum(1 for _ in data.batch(16)))
