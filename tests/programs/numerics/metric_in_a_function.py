"""A metric of a loop by hand is the ratio of two sums, and one batch has nothing to divide by."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(47)
rng = np.random.default_rng(47)
rows = rng.normal(size=[64, 3]).astype("float32")
labels = (rng.random(64) > 0.4).astype("float32")
labels[32:48] = 0.0
layer = tf.keras.layers.Dense(1)
layer.build([None, 3])
optimizer = tf.keras.optimizers.Adam(0.01)
recall = tf.keras.metrics.Mean(name="recall")


@tf.function
def train_step(batch, wanted):
    with tf.GradientTape() as tape:
        logits = layer(batch)[:, 0]
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(wanted, logits))
    gradients = tape.gradient(loss, layer.trainable_variables)
    optimizer.apply_gradients(zip(gradients, layer.trainable_variables))
    found = tf.cast(logits > 0.0, "float32") * wanted
    recall.update_state(tf.reduce_sum(found) / tf.reduce_sum(wanted))  # <- cause
    return loss


for start in range(0, 64, 16):
    train_step(tf.constant(rows[start : start + 16]), tf.constant(labels[start : start + 16]))
print(float(recall.result()))
