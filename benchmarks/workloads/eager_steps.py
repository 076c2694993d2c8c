"""A custom loop without `tf.function`, with steps of some milliseconds; the steady state is all but the first steps."""

import time

import keras
import numpy as np
import tensorflow as tf

WARM_UP, STEPS = 20, 400

rng = np.random.default_rng(0)
rows = tf.constant(rng.random([64, 32], "float32"))
targets = tf.constant(rng.random([64, 4], "float32"))
model = keras.Sequential([keras.layers.Input([32]), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(4)])
optimizer = keras.optimizers.SGD(0.01)
for step in range(WARM_UP + STEPS):
    if step == WARM_UP:
        wall, cpu = time.perf_counter(), time.process_time()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(rows, training=True) - targets) ** 2)
    optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
print("inner", time.perf_counter() - wall, time.process_time() - cpu)
