import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from keras import layers

SIZE, HOLE, BATCH = 32, 12, 4
PHASES = {"completion": 3, "discriminator": 3, "both": 2000}


def pictures(count, seed=4):
    draw = np.random.default_rng(seed)
    low = draw.uniform(0, 1, (count, 4, 4, 3))
    return np.kron(low, np.ones((1, 8, 8, 1))).astype("float32")


def holes(count, seed):
    draw = np.random.default_rng(seed)
    masks = np.zeros((count, SIZE, SIZE, 1), "float32")
    for mask in masks:
        top, left = draw.integers(0, SIZE - HOLE, 2)
        mask[top : top + HOLE, left : left + HOLE] = 1
    return masks


def completion_network():
    picture, mask = keras.Input((SIZE, SIZE, 3)), keras.Input((SIZE, SIZE, 1))
    x = layers.Concatenate()([picture, mask])
    for filters in (16, 16):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return keras.Model([picture, mask], layers.Conv2D(3, 3, padding="same", activation="sigmoid")(x))


def discriminator_network():
    picture = keras.Input((SIZE, SIZE, 3))
    x = picture
    for filters in (32, 64):
        x = layers.Conv2D(filters, 5, strides=2, padding="same", activation="relu")(x)
    x = layers.Dense(1024, activation="relu")(layers.Flatten()(x))
    return keras.Model(picture, layers.Dense(1, activation="sigmoid")(x))


def train():
    completion, judge = completion_network(), discriminator_network()
    completion.compile("adadelta", "mse")
    judge.compile("adadelta", "binary_crossentropy")
    data = pictures(64)
    total = sum(PHASES.values())
    for step in range(total):
        rows = np.arange(step * BATCH, (step + 1) * BATCH) % len(data)
        real, mask = data[rows], holes(BATCH, step)
        if step < PHASES["completion"]:
            loss = completion.train_on_batch([real * (1 - mask), mask], real)
        elif step < PHASES["completion"] + PHASES["discriminator"]:
            fake = completion.predict_on_batch([real * (1 - mask), mask])
            loss = judge.train_on_batch(np.concatenate([real, fake]), np.repeat([1.0, 0.0], BATCH)[:, None])
        else:
            picture, hole = completion.inputs
            filled = completion([picture, hole])
            everything = keras.Model([picture, hole], [filled, judge(filled)])  # <- cause
            everything.compile("adadelta", ["mse", "binary_crossentropy"], loss_weights=[1.0, 4e-4])  # <- cause
            loss = everything.train_on_batch([real * (1 - mask), mask], [real, np.ones((BATCH, 1))])
        if step % 3 == 0:
            print("step", step, "loss", np.ravel(loss)[0], flush=True)


train()
