"""A comprehension, a TensorArray, tapes and a large prediction, each with room for what it gathers."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf


@tf.function
def simulate(state, rounds):
    path = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=state.shape)
    for number in tf.range(rounds):
        state = state + 0.01 * tf.sin(state)
        path = path.write(number, state)
    return path.stack()


for rounds in (10, 40):
    simulate(tf.random.normal((300_000, 3)), tf.constant(rounds))
small = keras.Input((16, 16, 1))
model = keras.Model(small, keras.layers.UpSampling2D(16)(small))
rows = np.array([np.zeros((16, 16, 1), "float32") for _ in range(400)])
for part in range(0, 400, 200):
    model.predict(rows[part : part + 200], verbose=0)
weight, tapes = tf.Variable(tf.ones((200, 200))), []
for _ in range(10):
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(weight @ weight)
    tapes.append(tape)
