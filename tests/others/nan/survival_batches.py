import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras


class PartialLikelihood(keras.losses.Loss):
    """Cox: time and event of each patient in the columns of the target."""

    def call(self, target, hazard):
        time, event = target[:, 0], target[:, 1]
        hazard = tf.reshape(hazard, [-1])
        at_risk = tf.cast(time[None, :] >= time[:, None], tf.float32)
        risk = tf.math.log(tf.reduce_sum(at_risk * tf.exp(hazard)[None, :], axis=1))
        observed = tf.reduce_sum(event)
        return -tf.reduce_sum((hazard - risk) * event) / observed  # <- cause


def patients(count=480, seed=15):
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(count, 6)).astype("float32")
    time = draw.exponential(np.exp(-0.5 * features[:, 0])).astype("float32")
    event = (draw.random(count) < 0.12).astype("float32")
    return features, np.stack([time, event], axis=1)


def deep_surv(width=6):
    return keras.Sequential(
        [keras.Input((width,)), keras.layers.Dense(16, activation="selu"), keras.layers.Dense(1, use_bias=False)]
    )


def main():
    keras.utils.set_random_seed(3)
    x, y = patients()
    model = deep_surv(x.shape[1])
    model.compile(keras.optimizers.Adam(1e-3), PartialLikelihood())
    history = model.fit(x, y, batch_size=16, epochs=3, verbose=2)
    print("partial likelihood", history.history["loss"])


if __name__ == "__main__":
    main()
