import numpy as np
import tensorflow as tf
from tensorflow import keras

KNOTS = 60_000
PERIOD = 24


def ephemeris(seed=2):
    rng = np.random.default_rng(seed)
    phase = np.linspace(0, 50 * np.pi, KNOTS)[:, None]
    table = np.sin(phase * rng.uniform(0.5, 2.0, (1, PERIOD)))
    return table.astype("float32")


class DragFitter:
    def __init__(self, table, lr=1e-2, warmup=40):
        self.table = table
        self.warmup = warmup
        self.net = keras.Sequential([
            keras.Input((PERIOD,)),
            keras.layers.Dense(16, activation="tanh"),
            keras.layers.Dense(1),
        ])
        self.opt = keras.optimizers.Adam(lr)

    @tf.function
    def update(self, rows, drag, step):
        scale = tf.minimum(1.0, (tf.cast(step, tf.float32) + 1.0) / self.warmup)
        x = tf.gather(tf.constant(self.table), rows)
        with tf.GradientTape() as tape:
            loss = scale * tf.reduce_mean((self.net(x) - drag) ** 2)
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss


def passes(table, n, rng):
    rows = rng.integers(0, KNOTS, n)
    drag = table[rows, :4].sum(axis=1, keepdims=True)
    return tf.constant(rows), tf.constant(drag)


def main():
    table = ephemeris()
    fitter = DragFitter(table)
    rng = np.random.default_rng(0)
    for step in range(150):
        rows, drag = passes(table, 64, rng)
        loss = fitter.update(rows, drag, tf.constant(step))
        if step % 20 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
