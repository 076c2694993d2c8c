"""Runs a model function over a grid of parameters and keeps a table of the results."""
import itertools

import pandas as pd
from tensorflow import keras


class RoundLogger(keras.callbacks.Callback):
    def __init__(self, round_no):
        super().__init__()
        self.round_no = round_no
        self.seen = 0

    def on_epoch_end(self, epoch, logs=None):
        self.seen = epoch + 1

    def on_train_end(self, logs=None):
        print("round", self.round_no, "ended after", self.seen, "epochs")


class Scan:
    def __init__(self, x, y, params, build, epochs=4, callbacks=()):
        self.x = x
        self.y = y
        self.params = params
        self.build = build
        self.epochs = epochs
        self.callbacks = callbacks
        self.rows = []

    def combinations(self):
        names = sorted(self.params)
        for values in itertools.product(*(self.params[name] for name in names)):
            yield dict(zip(names, values))

    def run_round(self, round_no, chosen):
        model = self.build(chosen, self.x.shape[1])
        callbacks = self.callbacks + [RoundLogger(round_no)]
        history = model.fit(self.x, self.y, validation_split=0.25, epochs=self.epochs, verbose=0,
                            callbacks=callbacks)
        self.rows.append({**chosen, "val_loss": min(history.history["val_loss"]),
                          "epochs": len(history.history["loss"])})

    def run(self):
        for round_no, chosen in enumerate(self.combinations()):
            self.run_round(round_no, chosen)
        return pd.DataFrame(self.rows).sort_values("val_loss")
