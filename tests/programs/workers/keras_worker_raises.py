"""Keras reads batches in worker processes, and one of them fails."""

import keras
import numpy as np

targets = {0: 1.0, 1: 0.0, 2: 1.0}


class Readings(keras.utils.PyDataset):
    def __init__(self):
        super().__init__(workers=2, use_multiprocessing=True, max_queue_size=2)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        rows = np.full((4, 3), index, "float32")
        return rows, np.full((4, 1), targets[index], "float32")  # <- cause


if __name__ == "__main__":
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(Readings(), verbose=0)
