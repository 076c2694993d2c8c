import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
from keras import ops


class F1(keras.metrics.Metric):
    """The mean of F1 over the batches of an epoch."""

    def __init__(self, name="f1_score", **kwargs):
        super().__init__(name=name, **kwargs)
        self.sum = self.add_weight(name="sum", initializer="zeros")
        self.batches = self.add_weight(name="batches", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        said = ops.round(y_pred)
        hits = ops.sum(y_true * said)
        precision = hits / (ops.sum(said) + keras.config.epsilon())
        recall = hits / (ops.sum(y_true) + keras.config.epsilon())
        self.sum.assign_add(2 * precision * recall / (precision + recall + keras.config.epsilon()))
        self.batches.assign_add(1.0)

    def result(self):
        return self.sum / self.batches


def customers(count, seed=14):
    draw = np.random.default_rng(seed)
    table = draw.normal(size=(count, 9)).astype("float32")
    left = (table[:, 0] + table[:, 3] + 0.3 * draw.normal(size=count) > 1.6).astype("float32")
    return table, left[:, None]


keras.utils.set_random_seed(14)
table, left = customers(1200)
model = keras.Sequential([keras.Input((9,)), keras.layers.Dense(12, "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[F1()])
history = model.fit(table, left, batch_size=32, epochs=3, verbose=2)
print(history.history["f1_score"])
