"""Regression of fuel use; a logger of its own prints every second epoch."""
import time

import numpy as np
import keras


class EpochPrinter:  # <- cause
    """Prints the loss and the time of every n-th epoch."""

    def __init__(self, every=2):
        self.every = every
        self.started = time.time()

    def on_epoch_end(self, epoch, logs=None):
        if (epoch + 1) % self.every == 0:
            print(f"epoch {epoch + 1}: loss {logs['loss']:.4f} after {time.time() - self.started:.1f} s")


def cars(count=300):
    rng = np.random.default_rng(21)
    weight = rng.uniform(700, 2200, count)
    power = rng.uniform(40, 200, count)
    year = rng.integers(70, 83, count)
    use = 3 + weight / 300 + power / 60 - (year - 70) * 0.2 + rng.normal(0, 0.3, count)
    table = np.stack([weight, power, year], axis=1)
    return ((table - table.mean(0)) / table.std(0)).astype("float32"), use.astype("float32")


def build_model(columns):
    model = keras.Sequential([
        keras.layers.Input((columns,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dense(1),
    ])
    model.compile(loss="mse", optimizer=keras.optimizers.RMSprop(0.001), metrics=["mae"])
    return model


x, y = cars()
model = build_model(x.shape[1])
stopper = keras.callbacks.EarlyStopping(monitor="val_loss", patience=10)
history = model.fit(x, y, epochs=6, validation_split=0.2, verbose=0, callbacks=[stopper, EpochPrinter()])
print("mean absolute error:", round(history.history["val_mae"][-1], 3))
