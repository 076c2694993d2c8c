"""A custom loop that looks at the norm of the gradients and leaves out every update that is not finite."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(9)
x = rng.normal(size=(240, 6)).astype("float32")
x[100:104] = 1e30
y = x[:, :2].sum(axis=1, keepdims=True).clip(-5, 5)

layers = [tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)]
model = tf.keras.Sequential([tf.keras.Input((6,)), *layers])
optimizer = tf.keras.optimizers.SGD(0.01)
skipped = 0


@tf.function
def gradients_of(batch, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(batch, training=True) - target))
    gradients = tape.gradient(loss, model.trainable_variables)
    return loss, gradients, tf.linalg.global_norm(gradients)


for _epoch in range(3):
    for batch, target in tf.data.Dataset.from_tensor_slices((x, y)).shuffle(240, seed=1).batch(24):
        loss, gradients, norm = gradients_of(batch, target)
        if not tf.math.is_finite(norm):
            skipped += 1
            continue
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print("skipped", skipped > 0, "weights", all(np.isfinite(w).all() for w in model.get_weights()))
