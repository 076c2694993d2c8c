"""A small CNN, its data, and a clock that begins after the first epoch: for the workloads with `fit`."""

import time

import keras
import numpy as np


class Clock(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 0:
            self.began = time.perf_counter(), time.process_time()

    def tell(self):
        wall, cpu = self.began
        print("inner", time.perf_counter() - wall, time.process_time() - cpu)


rng = np.random.default_rng(0)
images = rng.random([2048, 28, 28, 1], "float32")
labels = rng.integers(0, 10, 2048)
model = keras.Sequential(
    [
        keras.layers.Input([28, 28, 1]),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
