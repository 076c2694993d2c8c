# Two crop yields predicted from nine weekly sensor readings with an LSTM.
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Sequential
from tensorflow.keras.layers import LSTM, Dense

tf.random.set_seed(42)
rng = np.random.default_rng(42)

n_fields = 120
n_readings = 9
n_crops = 2

# linear relation plus a bit of noise
readings = rng.normal(size=(n_fields, n_readings)).astype("float32")  # <- cause
mixing = rng.normal(size=(n_readings, n_crops)).astype("float32")
yields = readings @ mixing + 0.1 * rng.normal(size=(n_fields, n_crops)).astype("float32")

# standardise
readings = (readings - readings.mean(axis=0)) / readings.std(axis=0)  # <- cause
yields = (yields - yields.mean(axis=0)) / yields.std(axis=0)

split = int(0.8 * n_fields)
x_train, x_test = readings[:split], readings[split:]  # <- cause
y_train, y_test = yields[:split], yields[split:]
print("train:", x_train.shape, y_train.shape)
print("test: ", x_test.shape, y_test.shape)

model = Sequential()
model.add(Input(shape=(None, n_readings)))  # <- cause
model.add(LSTM(16))
model.add(Dense(n_crops))
model.compile(loss="mean_squared_error", optimizer="adam")

history = model.fit(
    x_train,  # <- cause
    y_train,
    epochs=2,
    batch_size=16,
    verbose=0,
)
print("training loss:", [round(v, 3) for v in history.history["loss"]])

test_loss = model.evaluate(x_test, y_test, verbose=0)
print("test loss:", round(float(test_loss), 3))

forecast = model.predict(x_test[:3], verbose=0)
for expected, got in zip(y_test[:3], forecast):
    print("expected", np.round(expected, 2), "got", np.round(got, 2))
