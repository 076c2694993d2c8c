"""CTC is given the lengths of the network's input; two poolings made the time axis a quarter of it."""

import numpy as np
import tensorflow as tf

strokes = np.zeros((4, 64, 2), "float32")
lengths = np.full((4,), strokes.shape[1], "int32")
hidden = tf.nn.max_pool1d(tf.nn.max_pool1d(strokes, 2, 2, "SAME"), 2, 2, "SAME")
logits = tf.matmul(hidden, tf.ones((4, 2, 9)))
labels = tf.SparseTensor([[0, 0], [1, 0], [2, 0], [3, 0]], [1, 2, 3, 4], (4, 1))
loss = tf.compat.v1.nn.ctc_loss(labels, logits, lengths, time_major=False)  # <- cause
print(loss.shape)
