"""A compiled training step over a pipeline; the labels count from one."""

import numpy as np
import tensorflow as tf

CLASSES = 6
rng = np.random.default_rng(11)
signal = rng.normal(size=(400, 10)).astype("float32")
gesture = rng.integers(1, CLASSES + 1, 400)
weights = tf.Variable(tf.random.normal([10, CLASSES], stddev=0.1))


@tf.function
def train(inputs, wanted):
    with tf.GradientTape() as tape:
        logits = inputs @ weights
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits))
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss


batches = tf.data.Dataset.from_tensor_slices((signal, gesture)).batch(40)
for inputs, wanted in batches:
    train(inputs, wanted)  # <- cause
