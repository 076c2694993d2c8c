"""The loss is computed after the tape was closed."""

import keras
import tensorflow as tf

weight = tf.Variable([1.0, 2.0])
optimizer = keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    output = weight * 3.0
loss = tf.reduce_sum(output)  # <- cause
gradients = tape.gradient(loss, [weight])
optimizer.apply_gradients(zip(gradients, [weight]))
