"""A training loop of the program's own meets a class that its last layer does not have."""

import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
x = rng.normal(size=(256, 4)).astype("float32")
kinds = rng.integers(0, 5, 256)
kinds[200] = 12
net = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(5)])
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.optimizers.Adam()
for start in range(0, 256, 32):
    batch, wanted = x[start : start + 32], kinds[start : start + 32]
    with tf.GradientTape() as tape:
        loss = loss_of(wanted, net(batch))  # <- cause
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
