import math

import numpy as np
from tensorflow.keras.utils import Sequence


def load_tickets(n, vocab, title_len, n_meta):
    rng = np.random.default_rng(11)
    titles = rng.integers(0, vocab, size=(n, title_len))
    meta = rng.normal(size=(n, n_meta)).astype("float32")
    team = (titles.sum(axis=1) % 4).astype("int64")
    return titles, meta, team


class TicketBatches(Sequence):
    def __init__(self, titles, meta, team, batch_size=32, shuffle=True):
        super().__init__()
        self.titles = titles
        self.meta = meta
        self.team = team
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.order = np.arange(len(team))
        self.on_epoch_end()

    def __len__(self):
        return math.ceil(len(self.order) / self.batch_size)

    def on_epoch_end(self):
        if self.shuffle:
            np.random.shuffle(self.order)

    def __getitem__(self, idx):
        rows = self.order[idx * self.batch_size:(idx + 1) * self.batch_size]
        X1 = self.titles[rows]
        X2 = self.meta[rows]
        y = self.team[rows]
        return (X1, X2), y
