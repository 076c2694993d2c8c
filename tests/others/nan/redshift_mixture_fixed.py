import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K

M = 4


def neg_log_mixture(true, parameters):
    means = parameters[:, :M]
    sigmas = tf.exp(parameters[:, M : 2 * M])
    weights = tf.nn.softmax(parameters[:, 2 * M :])
    exponent = -tf.square(true - means) / (2 * tf.square(sigmas))
    logs = tf.math.log(weights + 1e-12) + exponent - tf.math.log(sigmas * np.sqrt(2 * np.pi))
    return -tf.reduce_mean(tf.reduce_logsumexp(logs, axis=1))


def galaxies(count, seed=1061):
    draw = np.random.default_rng(seed)
    colours = draw.normal(size=(count, 5)).astype("float32")
    redshift = np.abs(colours[:, :1]) + 0.1 * draw.normal(size=(count, 1))
    redshift[draw.random(count) < 0.01] *= 30
    return colours, redshift.astype("float32")


def main():
    keras.utils.set_random_seed(4)
    colours, redshift = galaxies(2000)
    model = keras.Sequential()
    model.add(keras.Input((5,)))
    model.add(keras.layers.Dense(24, activation="tanh"))
    model.add(keras.layers.Dense(3 * M))
    model.compile(loss=neg_log_mixture, optimizer=keras.optimizers.RMSprop(1e-3))
    model.fit(colours, redshift, batch_size=64, epochs=3, verbose=2)
    print(K.floatx())


if __name__ == "__main__":
    main()
