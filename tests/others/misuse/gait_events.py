import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Sequential
from tensorflow.keras.layers import Conv1D, Dense

FRAMES = 40
MARKERS = 9
POSITIVE_WEIGHT = 12.0


def walking_trials(count, seed):
    rng = np.random.default_rng(seed)
    x = np.zeros((count, FRAMES, MARKERS), dtype="float32")
    y = np.zeros((count, FRAMES, 1), dtype="float32")
    for i in range(count):
        phase = rng.uniform(0, 2 * np.pi)
        t = np.arange(FRAMES) / 6.0 + phase
        for m in range(MARKERS):
            x[i, :, m] = np.sin(t + 0.3 * m) + 0.05 * rng.normal(size=FRAMES)
        strikes = np.where(np.diff(np.sign(np.sin(t))) > 0)[0]
        y[i, strikes, 0] = 1.0
    return x, y


def strike_loss(y_true, y_pred):
    y_pred = tf.clip_by_value(y_pred, 1e-6, 1.0 - 1e-6)
    hit = -y_true * tf.math.log(y_pred)
    miss = -(1.0 - y_true) * tf.math.log(1.0 - y_pred)
    return tf.reduce_mean(POSITIVE_WEIGHT * hit + miss, axis=[1, 2])


def strike_recall(y_true, y_pred):
    called = tf.cast(y_pred > 0.5, tf.float32)
    matched = np.multiply(y_true, called)  # <- cause
    return tf.reduce_sum(matched) / (tf.reduce_sum(y_true) + 1e-6)


def build_detector():
    net = Sequential(name="gait")
    net.add(Input(shape=(FRAMES, MARKERS)))
    net.add(Conv1D(12, 5, padding="same", activation="relu"))
    net.add(Dense(1, activation="sigmoid"))
    net.compile(optimizer="adam", loss=strike_loss, metrics=[strike_recall])
    return net


x_train, y_train = walking_trials(60, seed=1)
x_val, y_val = walking_trials(20, seed=2)
print("strikes per trial:", float(y_train.sum() / len(y_train)))

detector = build_detector()
history = detector.fit(x_train, y_train, validation_data=(x_val, y_val), epochs=3, batch_size=10, verbose=0)
for key in sorted(history.history):
    print(key, [round(float(v), 3) for v in history.history[key]])
