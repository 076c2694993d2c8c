"""A list of neighbours names a node that the graph does not have."""

import numpy as np
import tensorflow as tf

NODES = 25


def pooled(features, neighbours):
    return tf.reduce_mean(tf.gather(features, neighbours), axis=1)  # <- cause


rng = np.random.default_rng(0)
features = tf.constant(rng.random((NODES, 4)), tf.float32)
edges = rng.integers(0, NODES, (NODES, 3))
edges[7, 2] = NODES
for _ in range(2):
    features = pooled(features, edges)
