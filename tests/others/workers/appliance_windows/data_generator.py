"""Windows of the mains signal with the appliance's signal and state as targets."""

import keras
import numpy as np


class DataGenerator(keras.utils.PyDataset):
    def __init__(self, mains, appliance, states, window, batch_size, shuffle=False, **kwargs):
        super().__init__(**kwargs)
        self.mains, self.appliance, self.states = mains, appliance, states
        self.window = window
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.indices = np.arange(len(mains) - window + 1)

    def on_epoch_end(self):
        if self.shuffle:
            np.random.default_rng(0).shuffle(self.indices)

    def __len__(self):
        return np.ceil(len(self.indices) / self.batch_size)  # <- cause

    def __getitem__(self, index):
        rows = self.indices[index * self.batch_size : (index + 1) * self.batch_size]
        x = np.stack([self.mains[row : row + self.window] for row in rows])[..., None]
        y = np.stack([self.appliance[row : row + self.window] for row in rows])
        return x, y
