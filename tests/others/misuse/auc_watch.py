"""A callback computes the AUC on the validation data at the end of each epoch, and finds no validation data."""

import numpy as np
from tensorflow.keras import callbacks, layers, models


def auc(truth, scores):
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    good = truth == 1
    n_good, n_bad = good.sum(), (~good).sum()
    return (ranks[good].sum() - n_good * (n_good + 1) / 2) / (n_good * n_bad)


class AUCCallback(callbacks.Callback):
    def __init__(self, patience=10):  # <- cause
        super().__init__()
        self.auc = 0.0
        self.patience = patience
        self.waited = 0

    def on_epoch_end(self, epoch, logs=None):
        cv_pred = self.model.predict(self.validation_data[0], batch_size=1024, verbose=0)  # <- cause
        cv_true = self.validation_data[1]  # <- cause
        value = auc(cv_true, cv_pred[:, 0])
        print(f"epoch {epoch}: auc {value:.3f}")
        if value > self.auc:
            self.auc, self.waited = value, 0
        else:
            self.waited += 1
            self.model.stop_training = self.waited > self.patience


def clicks(rows, rng):
    table = rng.normal(size=(rows, 10)).astype("float32")
    clicked = (table[:, 0] - table[:, 3] + rng.normal(size=rows) > 0.5).astype("float32")
    return table, clicked


rng = np.random.default_rng(90)
x_train, y_train = clicks(400, rng)
x_valid, y_valid = clicks(120, rng)
model = models.Sequential(
    [layers.Input((10,)), layers.Dense(16, activation="relu"), layers.Dense(1, activation="sigmoid")]
)
model.compile(optimizer="adam", loss="binary_crossentropy")
watch = AUCCallback(patience=3)
model.fit(x_train, y_train, epochs=3, batch_size=40, validation_data=(x_valid, y_valid), callbacks=[watch], verbose=0)
print("best auc", round(float(watch.auc), 3))
