"""A loop by hand without tf.function meets a missing value."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)
rng = np.random.default_rng(5)
features = rng.normal(size=[96, 4]).astype("float32")
features[50, 2] = float("nan")  # <- cause
targets = features[:, :1] * 2.0
model = tf.keras.Sequential([tf.keras.layers.Input([4]), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.05)

for start in range(0, 96, 16):
    rows, wanted = features[start : start + 16], targets[start : start + 16]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(rows) - wanted))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print("trained")
