import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

LENGTH = 40


def measured(names, count, seed):
    """Curves of machines in several states."""
    draw = np.random.default_rng(seed)
    labels = draw.choice(names, count)
    speed = {name: 1 + place for place, name in enumerate(["idle", "load", "stall", "worn"])}
    times = np.linspace(0, 6, LENGTH)
    curves = np.stack([np.sin(times * speed[label]) for label in labels]) + draw.normal(0, 0.1, (count, LENGTH))
    return curves[..., None].astype("float32"), labels


class SeriesClassifier:
    def __init__(self, filters=8, epochs=1):
        self.filters, self.epochs = filters, epochs

    def _one_hot(self, labels):
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        return np.eye(len(self.classes_), dtype="float32")[numbers]

    def _network(self, shape, classes):
        series = keras.Input(shape)
        parts = [
            keras.layers.Conv1D(self.filters, size, padding="same", activation="relu")(series) for size in (3, 5, 9)
        ]
        hidden = keras.layers.GlobalAveragePooling1D()(keras.layers.Concatenate()(parts))
        return keras.Model(series, keras.layers.Dense(classes, activation="softmax")(hidden))

    def fit(self, curves, labels, validation=None):
        targets = self._one_hot(labels)
        if validation is not None:
            validation = (
                validation[0],
                np.eye(len(self.classes_), dtype="float32")[np.searchsorted(self.classes_, validation[1])],
            )
        self.model_ = self._network(curves.shape[1:], targets.shape[1])
        self.model_.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
        self.model_.fit(curves, targets, validation_data=validation, epochs=self.epochs, batch_size=16, verbose=2)
        return self


def main():
    train = measured(["idle", "load", "stall", "worn"], 160, 1)
    held_out = measured(["idle", "load", "worn"], 40, 2)
    SeriesClassifier().fit(*train, validation=held_out)


main()
