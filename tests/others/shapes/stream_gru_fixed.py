"""A stateful GRU over a load curve trains well with batches of ten, and fails as soon as it predicts."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

hidden_neurons = 10
in_out_neurons = 1
batch_size = 10
steps = 15


def make_curve(length=1500):
    t = np.arange(length)
    noise = np.random.default_rng(2).normal(0, 0.05, length)
    return (np.sin(t / 20.0) + 0.3 * np.sin(t / 7.0) + noise).astype("float32")


def windows(series):
    xs, ys = [], []
    for start in range(len(series) - steps - 1):
        xs.append(series[start : start + steps])
        ys.append(series[start + 1 : start + steps + 1])
    return np.expand_dims(np.array(xs), -1), np.expand_dims(np.array(ys), -1)


curve = make_curve()
X, y = windows(curve)
usable = len(X) // batch_size * batch_size
X, y = X[:usable], y[:usable]
X_train, y_train = X[:1000], y[:1000]
X_valid, y_valid = X[1000:1200], y[1000:1200]
X_test, y_test = X[1200:1400], y[1200:1400]

model = tf.keras.Sequential()
model.add(layers.Input(batch_shape=(batch_size, steps, in_out_neurons)))
model.add(layers.GRU(hidden_neurons, return_sequences=True, stateful=True))
model.add(layers.Dropout(0.2))
model.add(layers.TimeDistributed(layers.Dense(in_out_neurons)))
model.add(layers.Activation("linear"))
model.compile(loss="mean_squared_error", optimizer="rmsprop")

early_stopping = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=10)
model.fit(
    X_train,
    y_train,
    batch_size=batch_size,
    epochs=2,
    shuffle=False,
    verbose=0,
    validation_data=(X_valid, y_valid),
    validation_batch_size=batch_size,
    callbacks=[early_stopping],
)
for layer in model.layers:
    if hasattr(layer, "reset_states"):
        layer.reset_states()
predicted = model.predict(X_test, batch_size=batch_size, verbose=0)
print("test error", float(np.mean((predicted - y_test) ** 2)))
