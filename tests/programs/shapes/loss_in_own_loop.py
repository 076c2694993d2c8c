"""A loop of the user's own compares logits with labels of another width."""

import tensorflow as tf

loss_of = tf.keras.losses.CategoricalCrossentropy(from_logits=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(7)])  # <- cause
features = tf.random.normal([12, 3])
labels = tf.one_hot([0, 1, 2, 3] * 3, 4)
with tf.GradientTape() as tape:
    logits = model(features)
    loss = loss_of(labels, logits)
print(loss)
