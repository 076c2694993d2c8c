import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
from keras import layers


def lr_schedule(epoch):
    if epoch < 80:
        return 0.0000001
    if epoch < 100:
        return 0.0001
    return 0.00001


def boxes_and_pictures(count, side=24, seed=202):
    draw = np.random.default_rng(seed)
    pictures = draw.uniform(0, 255, (count, side, side, 3)).astype("float32")
    corners = draw.uniform(0, side, (count, 4)).astype("float32")
    return pictures, corners


def detector(side):
    picture = keras.Input((side, side, 3))
    inner = layers.Conv2D(16, 3, strides=2, activation="leaky_relu")(picture)
    inner = layers.Conv2D(32, 3, strides=2, activation="leaky_relu")(inner)
    return keras.Model(picture, layers.Dense(4)(layers.Flatten()(inner)))


keras.utils.set_random_seed(202)
pictures, corners = boxes_and_pictures(128)
model = detector(24)
model.compile(keras.optimizers.SGD(momentum=0.9), loss="mse")
model.fit(
    pictures,
    corners,
    batch_size=16,
    epochs=4,
    verbose=2,
    callbacks=[keras.callbacks.LearningRateScheduler(lr_schedule, verbose=1)],
)
