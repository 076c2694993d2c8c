"""Weights drawn with a spread of 1e5 in a net written by hand: the third product is beyond float32, before any update."""

import numpy as np
import tensorflow as tf

SIZES = [20, 64, 64, 64, 64, 64, 64, 64, 1]


def dense(name, inputs, outputs, draw):
    start = draw.normal([inputs, outputs], stddev=1e5)  # <- cause
    return tf.Variable(start, name=f"{name}/w"), tf.Variable(tf.zeros([outputs]), name=f"{name}/b")


def forward(rows, parameters):
    for w, b in parameters[:-1]:
        rows = tf.nn.relu(rows @ w + b)
    w, b = parameters[-1]
    return rows @ w + b


draw = tf.random.Generator.from_seed(4)
parameters = [dense(f"layer{at}", SIZES[at], SIZES[at + 1], draw) for at in range(len(SIZES) - 1)]
flat = [one for pair in parameters for one in pair]
optimizer = tf.keras.optimizers.SGD(1e-3)
rows = np.random.default_rng(4).normal(size=[160, 20]).astype("float32")
wanted = rows[:, :1] - rows[:, 1:2]
for start in range(0, 160, 16):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(
            (forward(tf.constant(rows[start : start + 16]), parameters) - wanted[start : start + 16]) ** 2
        )
    optimizer.apply_gradients(zip(tape.gradient(loss, flat), flat))
    print(start, float(loss))
