"""Autoencoder of sensor rows whose loss is kept batch by batch for a plot."""
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from tensorflow import keras

HIDDEN = 12
EPOCHS = 3
BATCH_SIZE = 32


class LossHistory(keras.callbacks.Callback):
    def on_train_begin(self, logs={}):
        self.losses = []

    def on_batch_end(self, batch, logs={}):
        self.losses.append(logs.get("loss"))


def load_rows(n=512, columns=24):
    rng = np.random.default_rng(9)
    base = rng.normal(size=(n, 4))
    mix = rng.normal(size=(4, columns))
    rows = base @ mix
    return ((rows - rows.min()) / (rows.max() - rows.min())).astype("float32")


def build(columns):
    model = keras.Sequential()
    model.add(keras.layers.Input((columns,)))
    model.add(keras.layers.Dense(HIDDEN, activation="sigmoid"))
    model.add(keras.layers.Dense(columns, activation="sigmoid"))
    sgd = keras.optimizers.SGD(learning_rate=0.1, momentum=0.9, nesterov=True)
    model.compile(loss="mean_squared_error", optimizer=sgd)
    return model


X_train = load_rows()
model = build(X_train.shape[1])
history = LossHistory()
model.fit(X_train, X_train, batch_size=BATCH_SIZE, epochs=EPOCHS, callbacks=[history], verbose=2)

plt.plot(history.losses)
plt.xlabel("batch")
plt.ylabel("loss")
plt.savefig("losses.png")
print("kept", len(history.losses), "losses; last", history.losses[-1])
