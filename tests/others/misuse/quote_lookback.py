"""Forecast blocks for quotes: each block gives a backcast and a forecast, and the backcast is taken off."""

import numpy as np
import tensorflow as tf


class Forecaster:
    def __init__(self, series, lookback, horizon, units=24, stacks=2):
        self.series = np.asarray(series, dtype="float32")
        self.backcast_time_idx = np.arange(-lookback, 0) / lookback
        self.forecast_time_idx = np.arange(horizon) / lookback
        self.units = units
        self.stacks = stacks
        self.model = self._network()

    def _block(self, x):
        hidden = x
        for _ in range(2):
            hidden = tf.keras.layers.Dense(self.units, activation="relu")(hidden)
        backcast = tf.keras.layers.Dense(len(self.backcast_time_idx))(hidden)
        forecast = tf.keras.layers.Dense(len(self.forecast_time_idx))(hidden)
        return backcast, forecast

    def _network(self):
        x = tf.keras.layers.Input(shape=len(self.backcast_time_idx))  # <- cause
        residual, total = x, None
        for _ in range(self.stacks):
            backcast, forecast = self._block(residual)
            residual = tf.keras.layers.Subtract()([residual, backcast])
            total = forecast if total is None else tf.keras.layers.Add()([total, forecast])
        return tf.keras.models.Model(x, total)

    def _sequences(self):
        back, ahead = len(self.backcast_time_idx), len(self.forecast_time_idx)
        starts = range(len(self.series) - back - ahead)
        x = np.stack([self.series[s : s + back] for s in starts])
        y = np.stack([self.series[s + back : s + back + ahead] for s in starts])
        return x, y

    def fit(self, **options):
        x, y = self._sequences()
        self.model.compile(loss="mse", optimizer=tf.keras.optimizers.Adam(1e-3))
        return self.model.fit(x, y, verbose=0, **options)


if __name__ == "__main__":
    days = np.arange(300)
    quotes = 10 + np.sin(days / 9.0) + 0.01 * days
    forecaster = Forecaster(quotes, lookback=20, horizon=5)
    print(forecaster.fit(epochs=2, batch_size=32).history["loss"])
