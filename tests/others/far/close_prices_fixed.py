"""Closing prices from sixty days of all columns with two LSTMs; the error is given in dollars."""
import math

import numpy as np
import pandas as pd
from tensorflow.keras.layers import LSTM, Dense, Input
from tensorflow.keras.models import Sequential

WINDOW = 60


class MinMaxScaler:
    """The smallest value of each column becomes 0, the largest 1."""

    def fit_transform(self, values):
        self.min_ = values.min(axis=0)
        self.scale_ = 1.0 / (values.max(axis=0) - self.min_)
        return (values - self.min_) * self.scale_

    def inverse_transform(self, values):
        values = np.array(values, dtype="float64")
        values /= self.scale_
        values += self.min_
        return values


def quotes(days=420):
    rng = np.random.default_rng(12)
    close = 100 + np.cumsum(rng.normal(0, 1, days))
    frame = pd.DataFrame({"Open": close + rng.normal(0, 0.5, days), "High": close + 1, "Low": close - 1,
                          "Volume": rng.integers(1000, 9000, days).astype(float), "Close": close})
    return frame


df = quotes()
dataset = df.values
training_data_len = math.ceil(len(dataset) * 0.8)
scaler = MinMaxScaler()
scaled_data = scaler.fit_transform(dataset)
close_scaler = MinMaxScaler()
close_scaler.fit_transform(dataset[:, -1:])

train_data = scaled_data[:training_data_len]
x_train = np.array([train_data[i - WINDOW:i] for i in range(WINDOW, len(train_data))])
y_train = train_data[WINDOW:, -1]

model = Sequential()
model.add(Input((WINDOW, x_train.shape[2])))
model.add(LSTM(16, return_sequences=True))
model.add(LSTM(16, return_sequences=False))
model.add(Dense(8))
model.add(Dense(1))
model.compile(optimizer="adam", loss="mean_squared_error")
model.fit(x_train, y_train, batch_size=32, epochs=1, verbose=2)

test_data = scaled_data[training_data_len - WINDOW:]
x_test = np.array([test_data[i - WINDOW:i] for i in range(WINDOW, len(test_data))])
y_test = dataset[training_data_len:, -1]

predictions = model.predict(x_test, verbose=0)
predictions = close_scaler.inverse_transform(predictions)
rmse = np.sqrt(np.mean((predictions[:, 0] - y_test) ** 2))
print("root mean square error in dollars: %.2f" % rmse)
