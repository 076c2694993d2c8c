import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf

RATE, FRAME = 2000, 100


def recordings(count, seed=339):
    draw = np.random.default_rng(seed)
    label = draw.integers(0, 2, count)
    time = np.arange(RATE)[None] / RATE
    waves = np.sin(6.28 * (200 + 300 * label[:, None]) * time) + 0.05 * draw.normal(size=(count, RATE))
    waves[::9, : 3 * FRAME] = 0.0  # the microphone was late
    return waves.astype("float32"), label


def preprocess(wave, label):
    spectrum = tf.abs(tf.signal.stft(wave, FRAME, FRAME))
    decibel = tf.math.log(spectrum) / tf.math.log(10.0)  # <- cause
    mean, variance = tf.nn.moments(decibel, [0, 1])
    return (decibel - mean) / tf.sqrt(variance), label


keras.utils.set_random_seed(9)
data = tf.data.Dataset.from_tensor_slices(recordings(180)).map(preprocess).shuffle(180, seed=1).batch(12)
model = keras.Sequential(
    [keras.Input((20, 65)), keras.layers.Flatten(), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
model.fit(data, epochs=2, verbose=2)
