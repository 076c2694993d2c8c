"""A large learning rate on a loss that is flat enough: the gradients go up and down and stay bounded."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(36)
rows = rng.normal(size=[80, 4]).astype("float32")
labels = (rows[:, 0] > 0).astype("float32")[:, None]
weights = tf.Variable(tf.zeros([4, 1]))
optimizer = tf.keras.optimizers.SGD(5.0)

for epoch in range(4):
    for start in range(0, 80, 16):
        batch, wanted = rows[start : start + 16], labels[start : start + 16]
        with tf.GradientTape() as tape:
            logits = tf.matmul(batch, weights)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(wanted, logits))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
print(float(loss) < 1.0)
