"""Unrolled wear simulation of a rail whose hardening law is a small network."""
import numpy as np
import tensorflow as tf


class Hardening(tf.Module):
    def __init__(self, hidden=12):
        super().__init__()
        init = tf.random.Generator.from_seed(4)
        self.w1 = tf.Variable(init.normal((2, hidden)) * 0.4)
        self.b1 = tf.Variable(tf.zeros(hidden))
        self.w2 = tf.Variable(init.normal((hidden, 1)) * 0.4)

    def __call__(self, depth, load):
        z = tf.stack([depth, load], axis=-1)
        return tf.squeeze(tf.tanh(z @ self.w1 + self.b1) @ self.w2, -1)


def measured(n_rails, n_steps, seed=0):
    rng = np.random.default_rng(seed)
    loads = rng.uniform(0.5, 1.5, (n_rails, n_steps)).astype("float32")
    depth = np.cumsum(0.05 * loads * np.exp(-0.3 * np.cumsum(loads, 1)), 1)
    return loads, depth.astype("float32")


law = Hardening()
optimizer = tf.keras.optimizers.Adam(5e-3)


@tf.function
def simulate(loads):
    depth = tf.zeros_like(loads[:, 0])
    n_steps = tf.shape(loads)[1]
    history = tf.TensorArray(tf.float32, size=n_steps)
    for step in tf.range(n_steps):
        load = loads[:, step]
        depth = depth + 0.05 * tf.nn.softplus(law(depth, load))
        history = history.write(step, depth)
    return tf.transpose(history.stack())


@tf.function
def improve(loads, target):
    with tf.GradientTape() as tape:
        error = tf.reduce_mean((simulate(loads) - target) ** 2)
    grads = tape.gradient(error, law.trainable_variables)
    optimizer.apply_gradients(zip(grads, law.trainable_variables))
    return error


if __name__ == "__main__":
    loads, depth = measured(16, 12)
    for it in range(20):
        err = improve(tf.constant(loads), tf.constant(depth))
    print("final error", float(err))
