import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Input, LSTM, Dropout, Dense

time_steps = 12
vector_size = 3


def tide_windows(n):
    t = np.arange(n + time_steps)
    level = np.sin(t / 4.0)
    wind = np.cos(t / 9.0)
    pressure = np.sin(t / 15.0 + 1)
    table = np.stack([level, wind, pressure], axis=1).astype("float32")
    xs, ys = [], []
    for i in range(n):
        xs.append(table[i:i + time_steps])
        ys.append(level[i + time_steps])
    return np.array(xs), np.array(ys, dtype="float32")


x_train, y_train = tide_windows(160)

model = Sequential()
model.add(Input(shape=(time_steps, vector_size)))
model.add(LSTM(24, return_sequences=True))
model.add(Dropout(0.1))
model.add(LSTM(24))
model.add(Dense(1))

model.compile(loss="mse", optimizer="rmsprop")
model.fit(x_train, y_train, epochs=2, batch_size=32, verbose=2)

nxt = model.predict(x_train[-1:], verbose=0)
print("next level", float(nxt[0, 0]))
