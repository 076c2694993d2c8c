"""A learning-rate schedule of its own, as on the page of the API: the rate divided by the number of the step."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class HarmonicRate(keras.optimizers.schedules.LearningRateSchedule):
    """Falls with the number of steps, after a few steps at the full rate."""

    def __init__(self, initial_learning_rate, hold=20):
        self.initial_learning_rate = initial_learning_rate
        self.hold = hold

    def __call__(self, step):
        late = tf.maximum(tf.cast(step, tf.float32) - self.hold, 0)
        return self.initial_learning_rate / (late + 1)

    def get_config(self):
        return {"initial_learning_rate": self.initial_learning_rate, "hold": self.hold}


def tides(points=600):
    hours = np.arange(points, dtype="float32")
    level = np.sin(hours / 12.4 * 2 * np.pi) + 0.4 * np.sin(hours / 24.8 * 2 * np.pi)
    return hours, level.astype("float32")


def lagged(level, lags=24):
    rows = np.stack([level[i : i + lags] for i in range(len(level) - lags)])
    return rows, level[lags:]


hours, level = tides()
X, y = lagged(level)
model = keras.Sequential(
    [keras.layers.Input((X.shape[1],)), keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(1)]
)
optimizer = keras.optimizers.SGD(learning_rate=HarmonicRate(0.1), momentum=0.9)
model.compile(optimizer=optimizer, loss="mse")
history = model.fit(X, y, batch_size=32, epochs=3, validation_split=0.2, verbose=0)
print("loss per epoch", [round(v, 4) for v in history.history["loss"]])
