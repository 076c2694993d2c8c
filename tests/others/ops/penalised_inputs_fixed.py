"""A regression whose loss also looks at the inputs."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

rng = np.random.default_rng(0)
voltages = rng.random((240, 3)).astype("float32")
currents = np.sqrt(voltages).astype("float32")


def loss_with():
    def loss(y_true, y_pred):
        y_true, inputs = y_true[:, :3], y_true[:, 3:]
        misfit = tf.square(y_pred - y_true)
        balance = tf.square(y_pred - inputs)
        return tf.reduce_mean(misfit + balance, axis=-1)

    return loss


model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(12, activation="tanh"), keras.layers.Dense(3)])
model.compile("adam", loss=loss_with())
model.fit(voltages, np.concatenate([currents, voltages], axis=1), epochs=2, batch_size=20, verbose=0)
print("trained")
