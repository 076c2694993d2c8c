import numpy as np
from tensorflow.keras.layers import LSTM, Dense
from tensorflow.keras.models import Sequential

np.random.seed(1)

# nine oven readings per loaf, two quality scores
X = np.random.normal(size=(100, 9)).astype("float32")  # <- cause
mix = np.random.normal(size=(9, 2)).astype("float32")
Y = X @ mix + np.random.normal(scale=0.1, size=(100, 2)).astype("float32")
print(X.shape)
print(Y.shape)

model = Sequential()
model.add(LSTM(32, input_shape=(None, 9)))  # <- cause
model.add(Dense(16, activation="relu"))
model.add(Dense(2))
model.compile(loss="mean_squared_error", optimizer="adam")

model.fit(X, Y, epochs=2, batch_size=32, verbose=2)
print(model.predict(X[:2], verbose=0))
