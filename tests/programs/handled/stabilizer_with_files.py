"""Weights are saved after each good epoch; after one whose loss rose or is NaN they are loaded again, with a lower rate."""

import math
import os
import tempfile

import keras
import numpy as np


class Stabilizer(keras.callbacks.Callback):
    def __init__(self, folder, margin=0.1):
        super().__init__()
        self.path = os.path.join(folder, "stable.weights.h5")
        self.margin = 1 + margin
        self.last = None

    def on_train_begin(self, logs=None):
        self.model.save_weights(self.path)

    def on_epoch_end(self, epoch, logs=None):
        loss = logs.get("loss")
        if math.isnan(loss) or (self.last is not None and loss > self.last * self.margin):
            self.model.load_weights(self.path)
            self.model.optimizer.learning_rate = float(self.model.optimizer.learning_rate) * 0.01
        else:
            self.last = loss
            self.model.save_weights(self.path)


rng = np.random.default_rng(3)
x = rng.normal(size=(128, 4)).astype("float32") * 10
y = x.sum(axis=1, keepdims=True)
with tempfile.TemporaryDirectory() as folder:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(12), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1e9), "mse")
    model.fit(x, y, epochs=8, verbose=0, callbacks=[Stabilizer(folder)])
    model.load_weights(os.path.join(folder, "stable.weights.h5"))
    print("usable", bool(np.all(np.isfinite(model.predict(x, verbose=0)))))
