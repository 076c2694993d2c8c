"""A training loop written by hand, with a tf.function and a few scalar losses kept in a list."""

import tensorflow as tf

weights = tf.Variable(tf.zeros([3, 1]))
inputs = tf.random.stateless_normal([64, 3], seed=[1, 2])
targets = inputs @ tf.constant([[1.0], [-2.0], [0.5]])
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ weights - y) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
    return loss


losses = [float(step(inputs, targets)) for _ in range(50)]
print(losses[0] > losses[-1])
