"""A callback asks the logs for a metric by the name that it has."""

import keras
import numpy as np


class StopEarly(keras.callbacks.Callback):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def on_epoch_end(self, epoch, logs=None):
        error = logs.get("val_ride_error")
        if error < self.limit:
            self.model.stop_training = True


distances = np.linspace(0, 1, 64, dtype="float32").reshape(16, 4)
minutes = distances.sum(axis=1)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=[keras.metrics.MeanAbsoluteError(name="ride_error")])
model.fit(distances, minutes, validation_split=0.25, epochs=2, verbose=0, callbacks=[StopEarly(0.1)])
