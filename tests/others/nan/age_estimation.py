import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

BINS = np.arange(0, 110, 10, dtype="float32")


def two_bins(age):
    """An age as weights of the two bins that it lies between."""
    weights = np.zeros(len(BINS), "float32")
    low = min(int(age // 10), len(BINS) - 2)
    weights[low + 1] = (age - BINS[low]) / 10
    weights[low] = 1 - weights[low + 1]
    return weights


def faces(count, seed=6):
    draw = np.random.default_rng(seed)
    ages = draw.uniform(1, 99, count)
    pictures = draw.normal(0, 0.1, (count, 24, 24, 1)) + ages[:, None, None, None] / 100
    return pictures.astype("float32"), ages.astype("float32"), np.stack([two_bins(age) for age in ages])


def divergence(truth, predicted):
    truth = tf.clip_by_value(truth, 1e-7, 1.0)
    return tf.reduce_sum(truth * (tf.math.log(truth) - tf.math.log(predicted)), -1)


def build():
    picture = keras.Input((24, 24, 1))
    hidden = picture
    for filters in (8, 16):
        hidden = keras.layers.Conv2D(filters, 3, activation="relu")(hidden)
        hidden = keras.layers.AveragePooling2D(2)(hidden)
    hidden = keras.layers.Dense(12, activation="relu")(keras.layers.Flatten()(hidden))
    bins = keras.layers.Dense(len(BINS), name="bins")(hidden)  # <- cause
    age = keras.layers.Dense(1, name="age")(bins)
    return keras.Model(picture, {"bins": bins, "age": age})


def main():
    keras.utils.set_random_seed(4)
    pictures, ages, bins = faces(400)
    model = build()
    model.compile(
        keras.optimizers.Adam(2e-3),
        loss={"bins": divergence, "age": "mean_absolute_error"},
        loss_weights={"bins": 10.0, "age": 1.0},
    )
    model.fit(pictures, {"bins": bins, "age": ages[:, None]}, epochs=2, batch_size=32, verbose=2)


main()
