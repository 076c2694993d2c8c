"""The smallest regression: a line through points."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
from keras.layers import Dense, Input
from keras.models import Sequential
from keras.optimizers import SGD

CONFIG = {
    "points": 200,
    "slope": 2.0,
    "optimizer": {"learning_rate": 0.00001, "momentum": 0.0},
    "fit": {"epochs": 1, "batch_size": 1, "verbose": 2},
}


def make_optimizer(options):
    return SGD(**options)


def fit_line(config):
    x = np.arange(config["points"], dtype="float32")
    y = config["slope"] * x
    model = Sequential([Input((1,)), Dense(1)])
    model.compile(loss="mean_squared_error", optimizer=make_optimizer(config["optimizer"]))
    model.fit(x, y, **config["fit"])
    return model


if __name__ == "__main__":
    fitted = fit_line(CONFIG)
    print("weights", fitted.get_weights(), "at 10:", fitted.predict(np.array([10.0]), verbose=0))
