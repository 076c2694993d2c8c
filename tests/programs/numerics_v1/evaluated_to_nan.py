"""An evaluation that trains nothing: one row of the held-out data saturates the model, and the cost it gives is NaN."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.default_rng(3)
held_out = rng.normal(size=(64, 4)).astype("float32")
held_out[37] *= 5000
truth = rng.integers(0, 2, (64, 1)).astype("float32")

rows = tf.placeholder(tf.float32, [None, 4], name="rows")
wanted = tf.placeholder(tf.float32, [None, 1], name="wanted")
weights = tf.get_variable("weights", initializer=np.full((4, 1), 0.5, "float32"))
chance = tf.sigmoid(tf.matmul(rows, weights))
cost = -tf.reduce_mean(wanted * tf.math.log(chance) + (1 - wanted) * tf.math.log(1 - chance))  # <- cause

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    costs = []
    for start in range(0, 64, 16):
        part = slice(start, start + 16)
        costs.append(session.run(cost, {rows: held_out[part], wanted: truth[part]}))
    print("mean cost", np.mean(costs))
