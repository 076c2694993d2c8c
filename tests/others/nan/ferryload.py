import numpy as np
import tensorflow as tf
from tensorflow import keras


def mean_position(rate):
    """Mean of an exponential law with this rate, cut to the unit interval."""
    near = 0.5 + rate / 12.0
    far = 1.0 / (1.0 - tf.exp(-rate)) - 1.0 / rate  # <- cause
    return tf.where(tf.abs(rate) < 0.1, near, far)  # <- cause


class LoadModel(keras.Model):
    def __init__(self, hidden=24):
        super().__init__()
        self.body = keras.layers.Dense(hidden, activation="tanh")
        self.rate = keras.layers.Dense(1, activation="relu")

    def call(self, x):
        rate = self.rate(self.body(x))
        return mean_position(rate)


def crossings(n, seed=12):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (n, 6)).astype("float32")
    rate = np.maximum(3.0 * x[:, 0] + x[:, 1], 0.2)
    y = 1 / (1 - np.exp(-rate)) - 1 / rate + rng.normal(0, 0.01, n)
    return x, y.astype("float32")[:, None]


def train(model, data, epochs, opt):
    for epoch in range(epochs):
        total = tf.keras.metrics.Mean()
        for xb, yb in data:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.abs(model(xb, training=True) - yb))
            grads = tape.gradient(loss, model.trainable_variables)
            opt.apply_gradients(zip(grads, model.trainable_variables))
            total.update_state(loss)
        print(f"epoch {epoch + 1}  mae {float(total.result()):.4f}")


if __name__ == "__main__":
    keras.utils.set_random_seed(5)
    x, y = crossings(256)
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(256, seed=1).batch(32)
    train(LoadModel(), data, 3, keras.optimizers.Adam(3e-3))
