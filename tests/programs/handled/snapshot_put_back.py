"""train_on_batch in a loop: the program keeps a snapshot, sees a loss that is not finite, and puts the snapshot back."""

import keras
import numpy as np


def batches(rng, count):
    for number in range(count):
        x = rng.normal(size=(32, 10)).astype("float32")
        if number % 25 == 24:
            x *= np.float32(1e25)
        yield x, x.sum(axis=1, keepdims=True)


model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(1e-3), "mse")
snapshot, returned = model.get_weights(), 0
for number, (x, y) in enumerate(batches(np.random.default_rng(12), 80)):
    loss = model.train_on_batch(x, y)
    if not np.isfinite(loss):
        print(f"step {number}: loss {loss}, going back")
        model.set_weights(snapshot)
        model.reset_metrics()
        returned += 1
    elif number % 10 == 0:
        snapshot = model.get_weights()
print("returned", returned)
