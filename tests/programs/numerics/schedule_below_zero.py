"""A rate that is lowered by the same amount in each epoch falls below zero, and the training climbs."""

import keras
import numpy as np

EPOCHS = 12


def straight_down(epoch):
    return 0.2 - 0.05 * epoch  # <- cause


keras.utils.set_random_seed(1)
draw = np.random.default_rng(1)
x = draw.normal(size=(640, 6)).astype("float32")
y = (x @ draw.normal(size=(6, 1))).astype("float32")
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(0.2), loss="mean_squared_error")
model.fit(
    x,
    y,
    epochs=EPOCHS,
    batch_size=16,
    callbacks=[keras.callbacks.LearningRateScheduler(straight_down)],
    verbose=2,
)
