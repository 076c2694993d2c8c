"""A callback looks at each batch: at a NaN it puts the last good weights back and halves the rate; training goes on."""

import keras
import numpy as np


class LoadBestWeightsOnNaN(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.good = self.model.get_weights()
        self.lowest = np.inf
        self.resets = 0

    def on_train_batch_begin(self, batch, logs=None):
        self.before = self.model.get_weights()

    def on_train_batch_end(self, batch, logs=None):
        loss = logs["loss"]
        if not np.isfinite(loss) or loss > 1e6:
            self.model.set_weights(self.good)
            rate = self.model.optimizer.learning_rate
            rate.assign(rate * 0.1)
            self.model.reset_metrics()
            self.resets += 1
        elif loss < self.lowest:
            self.lowest = loss
            self.good = self.before

    def on_train_end(self, logs=None):
        self.model.set_weights(self.good)


rng = np.random.default_rng(2)
x = rng.normal(size=(320, 5)).astype("float32") * 30
y = x @ rng.normal(size=(5, 1)).astype("float32")
model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(1e12), "mse")
guard = LoadBestWeightsOnNaN()
model.fit(x, y, epochs=4, verbose=0, callbacks=[guard])
print("put back", guard.resets > 0, "finite", np.isfinite(model.evaluate(x, y, verbose=0)))
