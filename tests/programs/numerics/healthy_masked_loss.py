"""Missing targets are NaN and are masked the right way, before anything is computed with them."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(31)
rng = np.random.default_rng(31)
rows = rng.normal(size=[128, 4]).astype("float32")
targets = rows[:, :1].copy()
targets[::7] = np.nan


def masked(wanted, told):
    known = tf.math.is_finite(wanted)
    error = tf.where(known, wanted, 0.0) - tf.where(known, told, 0.0)
    return tf.reduce_sum(tf.square(error)) / tf.reduce_sum(tf.cast(known, "float32"))


model = keras.Sequential([keras.layers.Input([4]), keras.layers.Dense(1)])
model.compile("adam", masked)
history = model.fit(rows, targets, batch_size=16, epochs=2, verbose=0)
print(np.isfinite(history.history["loss"]).all())
