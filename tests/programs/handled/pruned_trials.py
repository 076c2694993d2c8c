"""A search by hand in the manner of Optuna: a callback prunes a trial at a NaN by an exception that the study catches."""

import math

import keras
import numpy as np


class TrialPruned(Exception):
    pass


class NanLossPruner(keras.callbacks.Callback):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def on_train_batch_end(self, batch, logs=None):
        if logs is not None and math.isnan(logs.get("loss", 0.0)):
            raise TrialPruned(f"trial {self.number}: NaN in batch {batch}")


def objective(number, config):
    keras.backend.clear_session()
    keras.utils.set_random_seed(number)
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(config["units"]), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(config["rate"], momentum=config["momentum"]), "mse")
    past = model.fit(x, y, validation_split=0.25, epochs=4, verbose=0, callbacks=[NanLossPruner(number)])
    return past.history["val_loss"][-1]


rng = np.random.default_rng(6)
x = rng.normal(size=(256, 8)).astype("float32") * 25
y = x.mean(axis=1, keepdims=True)
space = [
    {"units": units, "rate": rate, "momentum": momentum}
    for units in (4, 16)
    for rate, momentum in ((100.0, 0.9), (1e-6, 0.5))
]
results, pruned = {}, 0
for number, config in enumerate(space):
    try:
        results[number] = objective(number, config)
    except TrialPruned:
        pruned += 1
best = min(results, key=results.get)
print("pruned", pruned, "best", space[best]["rate"])
