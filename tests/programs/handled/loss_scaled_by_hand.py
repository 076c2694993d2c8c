"""Half precision with a scale of its own: a step that overflows is skipped in the graph and the scale is halved."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(10)
rows = tf.constant(rng.normal(size=(256, 16)), tf.float16)
wanted = tf.constant(rng.normal(size=(256, 1)), tf.float16)
w1 = tf.Variable(rng.normal(size=(16, 32)).astype("float32") * 0.2)
w2 = tf.Variable(rng.normal(size=(32, 1)).astype("float32") * 0.2)
scale = tf.Variable(2.0**20)
skipped = tf.Variable(0)
variables = [w1, w2]


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ tf.cast(w1, tf.float16))
        error = hidden @ tf.cast(w2, tf.float16) - y
        scaled = tf.reduce_mean(tf.square(error)) * tf.cast(scale, tf.float16)
    slopes = [slope / scale for slope in tape.gradient(scaled, variables)]
    fine = tf.reduce_all([tf.reduce_all(tf.math.is_finite(slope)) for slope in slopes])
    if fine:
        for variable, slope in zip(variables, slopes):
            variable.assign_sub(0.05 * slope)
    else:
        scale.assign(scale / 2)
        skipped.assign_add(1)
    return fine


for number in range(60):
    begin = 32 * (number % 8)
    step(rows[begin : begin + 32], wanted[begin : begin + 32])
print("skipped", int(skipped) > 0, "finite", bool(np.isfinite(w1.numpy()).all() and np.isfinite(w2.numpy()).all()))
