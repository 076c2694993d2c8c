"""A loop that tests each loss, and restores the weights from before a step that went wrong."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
batches = [rng.normal(size=(16, 3)).astype("float32") for _ in range(20)]
batches[7][3, 1] = np.inf
weights = tf.Variable(tf.ones((3, 1)))
skipped = 0
for batch in batches:
    before = weights.numpy()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(batch @ weights))
    if not np.isfinite(loss.numpy()):
        skipped += 1
        continue
    weights.assign_sub(0.05 * tape.gradient(loss, weights))
    if not np.all(np.isfinite(weights.numpy())):
        weights.assign(before)
print("skipped", skipped)
