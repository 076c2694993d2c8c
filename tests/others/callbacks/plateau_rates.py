"""Price model with a decaying learning rate, and a callback that lowers it on plateaus."""

import numpy as np
import tensorflow as tf


def get_optimizer(name, rate, decay_steps=100, decay_rate=0.96):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(rate, decay_steps, decay_rate)  # <- cause
    if name == "adam":
        return tf.keras.optimizers.Adam(learning_rate=schedule)  # <- cause
    return tf.keras.optimizers.SGD(learning_rate=schedule)


def get_callbacks(patience):
    return [
        tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=3 * patience),
        tf.keras.callbacks.ReduceLROnPlateau(
            monitor="val_loss", factor=0.5, patience=patience, min_delta=0.5
        ),  # <- cause
    ]


def main():
    rng = np.random.default_rng(21)
    x = rng.normal(size=(200, 5)).astype("float32")
    y = rng.normal(size=(200, 1)).astype("float32")
    model = tf.keras.Sequential([tf.keras.Input((5,)), tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)])
    model.compile(optimizer=get_optimizer("adam", 1e-2), loss="mse")
    model.fit(x, y, epochs=6, validation_split=0.2, callbacks=get_callbacks(1), verbose=0)


main()
