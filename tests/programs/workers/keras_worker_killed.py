"""A worker process of Keras's is killed while it reads a batch; `fit` waits for that batch for ever."""

import os
import signal

import keras
import numpy as np


class Readings(keras.utils.PyDataset):
    def __init__(self):
        super().__init__(workers=2, use_multiprocessing=True, max_queue_size=2)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index == 3:
            os.kill(os.getpid(), signal.SIGKILL)  # <- cause
        return np.full((4, 3), index, "float32"), np.zeros((4, 1), "float32")


if __name__ == "__main__":
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(Readings(), verbose=0)
