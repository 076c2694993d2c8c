import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler

WINDOW = 20
COLUMNS = ["Close", "Open", "High", "Low", "Volume"]


def quotes(days, seed=8):
    draw = np.random.default_rng(seed)
    close = 100 + np.cumsum(draw.normal(0, 1, days))
    table = pd.DataFrame({"Close": close, "Open": close + draw.normal(0, 0.4, days)})
    table["High"] = table[["Close", "Open"]].max(axis=1) + 0.5
    table["Low"] = table[["Close", "Open"]].min(axis=1) - 0.5
    table["Volume"] = draw.lognormal(10, 0.3, days)
    return table[COLUMNS]


def windows(values):
    x = [values[at - WINDOW : at] for at in range(WINDOW, len(values))]
    y = [values[at, 0] for at in range(WINDOW, len(values))]
    return np.array(x), np.array(y)


table = quotes(260)
data = table.to_numpy()
split = int(len(data) * 0.8)

scaler = MinMaxScaler(feature_range=(0, 1))
scaled = scaler.fit_transform(data)
close_scaler = MinMaxScaler(feature_range=(0, 1)).fit(data[:, :1])

x_train, y_train = windows(scaled[:split])
x_test, y_test = windows(scaled[split - WINDOW :])

model = keras.Sequential(
    [keras.Input((WINDOW, len(COLUMNS))), keras.layers.LSTM(16), keras.layers.Dense(8), keras.layers.Dense(1)]
)
model.compile("adam", "mean_squared_error")
model.fit(x_train, y_train, batch_size=32, epochs=1, verbose=0)

predictions = model.predict(x_test, verbose=0)
predictions = close_scaler.inverse_transform(predictions)
rmse = np.sqrt(np.mean((predictions[:, 0] - data[split:, 0]) ** 2))
print("rmse", round(float(rmse), 2))
