"""A generator of one pass is begun again when it ends; a queue with a last element ends the other loop."""

import queue
import threading

import keras
import numpy as np

rng = np.random.default_rng(21)


def one_pass():
    for _ in range(5):
        x = rng.normal(size=(16, 3)).astype("float32")
        yield x, x.sum(axis=1, keepdims=True)


model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
batches, passes = one_pass(), 1
for _ in range(12):
    try:
        x, y = next(batches)
    except StopIteration:
        batches, passes = one_pass(), passes + 1
        x, y = next(batches)
    model.train_on_batch(x, y)

line = queue.Queue(2)
threading.Thread(target=lambda: [line.put(item) for item in [*one_pass(), None]], daemon=True).start()
while (item := line.get()) is not None:
    model.train_on_batch(*item)
print("passes", passes)
