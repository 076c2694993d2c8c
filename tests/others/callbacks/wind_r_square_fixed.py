import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class RSquare(keras.metrics.Metric):
    """The part of the variance that the model explains."""

    def __init__(self, name="r_square", **options):
        super().__init__(name=name, **options)
        self.squares = self.add_weight(name="squares", initializer="zeros")
        self.total = self.add_weight(name="total", initializer="zeros")
        self.residual = self.add_weight(name="residual", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = keras.ops.cast(y_true, "float32")
        self.total.assign_add(keras.ops.sum(y_true))
        self.squares.assign_add(keras.ops.sum(y_true**2))
        self.residual.assign_add(keras.ops.sum((y_true - y_pred) ** 2))
        self.count.assign_add(keras.ops.cast(keras.ops.size(y_true), "float32"))

    def result(self):
        mean = self.total / self.count
        return 1.0 - self.residual / (self.squares - self.count * mean**2)


def turbines(count, seed=3):
    draw = np.random.default_rng(seed)
    wind = draw.gamma(4.0, 2.0, (count, 3)).astype("float32")
    power = (wind.mean(axis=1) ** 2 * 0.1 + draw.normal(0, 0.5, count)).astype("float32")
    age = draw.uniform(0, 10, count)
    return wind, power[:, None], np.exp(-age / 5).astype("float32")


def network():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"], weighted_metrics=[RSquare()])
    return model


def main():
    wind, power, trust = turbines(320)
    network().fit(wind, power, sample_weight=trust, epochs=2, verbose=2)


main()
