"""Removes the noise of tick data with a recurrent layer between dense ones."""

import numpy as np
from tensorflow.keras.layers import LSTM, Dense, Dropout
from tensorflow.keras.models import Sequential

rng = np.random.default_rng(5)
clean = np.cumsum(rng.normal(0, 0.1, (130, 20, 1)), axis=1).astype("float32")
trainX = clean + rng.normal(0, 0.05, clean.shape).astype("float32")
trainY = clean[:, -1]

model = Sequential()
model.add(Dense(5, input_shape=(20, 1)))
model.add(Dense(10))
model.add(LSTM(16))
model.add(Dropout(0.3))
model.add(Dense(5))
model.add(Dense(1))
model.compile(loss="mean_squared_error", optimizer="adam")
model.fit(trainX, trainY, epochs=1, batch_size=10, verbose=0)
print("trained on", trainX.shape)
