"""A replay memory with a bound fills for most of the run, and is not full for long before the program ends."""

import os
from collections import deque

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

memory = deque(maxlen=900)
model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(4)])
model.compile("sgd", "mse")
rng = np.random.default_rng(0)
for step in range(1000):
    memory.append(rng.random((84, 84, 12), dtype="float32"))
    if step % 10 == 0:
        x = rng.random((8, 16), dtype="float32")
        model.train_on_batch(x, x[:, :4])
print("steps", step)
