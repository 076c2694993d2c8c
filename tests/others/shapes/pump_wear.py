import numpy as np
from tf_keras.models import Sequential
from tf_keras.layers import Dense, LSTM

np.random.seed(4)


def make_pump_table(rows, sensors, outputs):
    readings = np.random.normal(size=(rows, sensors)).astype("float32")
    mix = np.random.uniform(-1, 1, size=(sensors, outputs)).astype("float32")
    wear = readings @ mix + 0.05 * np.random.normal(size=(rows, outputs))
    return readings, wear.astype("float32")


# nine sensors per pump, two wear figures to predict
X, Y = make_pump_table(120, 9, 2)  # <- cause
print(X.shape, Y.shape)

# recurrent model
model = Sequential()
model.add(LSTM(16, input_dim=9))  # <- cause
model.add(Dense(2))
model.compile(loss="mean_squared_error", optimizer="adam")
model.summary()

# training
model.fit(X, Y, epochs=2, batch_size=32, verbose=2)

print("mse", model.evaluate(X, Y, verbose=0))
