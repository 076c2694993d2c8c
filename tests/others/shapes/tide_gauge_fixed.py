import numpy as np
from tensorflow.keras.layers import LSTM, Dense, Dropout
from tensorflow.keras.models import Sequential

np.random.seed(0)


def windows(series, look_back):
    xs, ys = [], []
    for i in range(len(series) - look_back):
        xs.append(series[i:i + look_back])
        ys.append(series[i + look_back])
    return np.array(xs), np.array(ys)


hours = np.arange(320)
level = np.sin(hours / 6.2) + 0.3 * np.sin(hours / 2.9)
noisy = level + np.random.normal(0, 0.05, len(hours))

look_back = 20
gaugeX, gaugeY = windows(noisy.astype("float32"), look_back)
gaugeX = np.reshape(gaugeX, (gaugeX.shape[0], gaugeX.shape[1], 1))
print("inputs", gaugeX.shape, "targets", gaugeY.shape)

batch_size = 10
model = Sequential()
model.add(Dense(5, input_shape=(20, 1)))
model.add(Dense(10))
model.add(LSTM(16))
model.add(Dropout(0.3))
model.add(Dense(5))
model.add(Dense(1))
model.compile(loss="mean_squared_error", optimizer="adam")
model.fit(gaugeX, gaugeY, epochs=2, batch_size=batch_size, verbose=2)

forecast = model.predict(gaugeX[-5:], verbose=0)
print(forecast.ravel())
