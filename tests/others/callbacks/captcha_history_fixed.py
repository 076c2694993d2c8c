"""Captcha digit network, prints the learning curve at the end."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.callbacks import EarlyStopping

DIGITS = 10


def draw_digit(k, rng):
    canvas = rng.normal(0, 0.2, (12, 12, 1))
    canvas[k:k + 2, :, 0] += 1.0
    canvas[:, (3 * k) % 11, 0] += 0.5
    return canvas


def make_set(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, DIGITS, n)
    images = np.stack([draw_digit(int(k), rng) for k in labels]).astype("float32")
    return images, tf.keras.utils.to_categorical(labels, DIGITS)


def build_model():
    model = tf.keras.Sequential([
        layers.Input(shape=(12, 12, 1)),
        layers.Conv2D(8, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.3),
        layers.Dense(DIGITS, activation="softmax"),
    ])
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model


def sparkline(values, width=20):
    top = max(max(values), 1e-6)
    return ["#" * int(width * v / top) for v in values]


def show_train_history(history, train, validation):
    curves = history.history
    rows = zip(sparkline(curves[train]), curves[train], curves[validation])
    for epoch, (bar, tr, va) in enumerate(rows, start=1):
        print("%2d %-20s %s %.3f  %s %.3f" % (epoch, bar, train, tr, validation, va))


def main():
    tf.keras.utils.set_random_seed(1)
    x_train, y_train = make_set(200, seed=1)
    x_val, y_val = make_set(60, seed=2)
    model = build_model()
    history = model.fit(x_train, y_train, validation_data=(x_val, y_val), epochs=3,
                        batch_size=40, verbose=2,
                        callbacks=[EarlyStopping(monitor="val_loss", patience=2)])
    show_train_history(history, "loss", "val_loss")
    show_train_history(history, "accuracy", "val_accuracy")
    model.save("captcha_digit.keras")


if __name__ == "__main__":
    main()
