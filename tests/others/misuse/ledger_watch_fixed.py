"""Somebody wants the mean of the outputs as a metric and puts keras.metrics.Mean() among the metrics of compile()."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, metrics, models


def mean_output(y_true, y_pred):
    return tf.reduce_mean(y_pred)


def ledger_rows(rows, seed):
    rng = np.random.default_rng(seed)
    amounts = rng.lognormal(3.0, 1.0, size=(rows, 4))
    days = rng.integers(0, 365, size=(rows, 1))
    table = np.hstack([np.log1p(amounts), days / 365.0]).astype("float32")
    overdue = (table[:, 0] + 0.3 * rng.normal(size=rows) > 3.2).astype("float32")
    return table, overdue


def build_classifier(columns):
    model = models.Sequential(
        [
            layers.Input(shape=(columns,)),
            layers.Normalization(),
            layers.Dense(24, activation="relu"),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(
        optimizer="adam",
        loss="binary_crossentropy",
        metrics=["accuracy", mean_output],
    )
    return model


train_rows, train_overdue = ledger_rows(256, seed=1)
test_rows, test_overdue = ledger_rows(64, seed=2)
classifier = build_classifier(train_rows.shape[1])
classifier.layers[0].adapt(train_rows)
log = classifier.fit(train_rows, train_overdue, validation_split=0.2, epochs=2, verbose=0)
for name, values in log.history.items():
    print(f"{name:>20} {values[-1]:.4f}")
print("test", classifier.evaluate(test_rows, test_overdue, verbose=0))
