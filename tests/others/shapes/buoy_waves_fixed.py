import numpy as np
from tensorflow.keras.layers import LSTM, Dense, Dropout
from tensorflow.keras.models import Sequential

np.random.seed(5)

steps = 12
channels = 3
states = 4


def record(count):
    series, state = [], []
    for _ in range(count):
        s = np.random.randint(states)
        t = np.linspace(0, 3, steps)[:, None]
        wave = np.sin((s + 1) * t + np.arange(channels))
        series.append(wave + np.random.normal(0, 0.1, wave.shape))
        state.append(np.eye(states)[s])
    return np.array(series, dtype="float32"), np.array(state, dtype="float32")


train_x, train_y = record(96)
test_x, test_y = record(32)

model = Sequential()
model.add(LSTM(24, return_sequences=True, input_shape=(steps, channels)))
model.add(Dropout(0.1))
model.add(LSTM(16))
model.add(Dropout(0.1))
model.add(Dense(states, activation="softmax"))

model.compile(loss="categorical_crossentropy", optimizer="rmsprop", metrics=["accuracy"])
model.fit(train_x, train_y, batch_size=16, epochs=2, validation_data=(test_x, test_y), verbose=2)

score = model.evaluate(test_x, test_y, verbose=0)
print("test accuracy", score[1])
