"""Trains a box regressor for traffic signs with a stepwise learning rate."""

import keras
import numpy as np
from keras.callbacks import CSVLogger, LearningRateScheduler, TerminateOnNaN

SETTINGS = {"epochs": 4, "batch": 16, "log": "/dev/null"}


def schedule(epoch):
    if epoch < 2:
        return 0.001
    if epoch < 3:
        return 0.0001
    return 0.00001


def network():
    model = keras.Sequential()
    model.add(keras.Input((20,)))
    model.add(keras.layers.Dense(16, activation="relu"))
    model.add(keras.layers.Dense(4))
    model.compile(optimizer=keras.optimizers.SGD(momentum=0.9), loss="mse")
    return model


def callbacks(initial_epoch):
    logger = CSVLogger(filename=SETTINGS["log"], separator=",")
    rate = LearningRateScheduler(schedule=schedule, verbose=1)
    return [logger, rate, TerminateOnNaN()]


def main():
    rng = np.random.default_rng(8)
    features = rng.normal(size=(96, 20)).astype("float32")
    boxes = rng.uniform(size=(96, 4)).astype("float32")
    model = network()
    model.fit(
        features,
        boxes,
        batch_size=SETTINGS["batch"],
        epochs=SETTINGS["epochs"],
        callbacks=callbacks(0),
        verbose=0,
    )
    print("done")


main()
