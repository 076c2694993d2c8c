"""A trainer is told by its callback that the loss is NaN, and starts again with a tenth of the rate."""

import keras
import numpy as np


class CheckNaN(keras.callbacks.Callback):
    def __init__(self, trainer):
        super().__init__()
        self.trainer = trainer

    def on_epoch_end(self, epoch, logs=None):
        if not np.isfinite(logs["loss"]):
            self.trainer.success = False
            self.model.stop_training = True


class Trainer:
    def __init__(self, rate):
        self.rate = rate
        self.success = False

    def build(self):
        keras.utils.set_random_seed(4)
        model = keras.Sequential(
            [keras.Input((6,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)]
        )
        model.compile(keras.optimizers.SGD(self.rate), "mse")
        return model

    def train(self, x, y):
        for attempt in range(8):
            self.success = True
            self.model = self.build()
            self.model.fit(x, y, epochs=6, batch_size=32, verbose=0, callbacks=[CheckNaN(self)])
            if self.success:
                return attempt
            self.rate /= 10
        raise RuntimeError("no rate works")


rng = np.random.default_rng(1)
x = rng.normal(size=(256, 6)).astype("float32") * 50
trainer = Trainer(10.0)
print("attempts", trainer.train(x, x[:, :1] * 3) + 1, "rate", trainer.rate)
