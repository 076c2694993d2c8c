"""Grades essays and counts how many are at most half a grade off."""

import argparse

import keras
import numpy as np
from keras import layers, ops


def within_half(y_true, y_pred):
    close = ops.abs(y_true - y_pred) <= 0.5
    return ops.mean(ops.cast(close, "float32"))


def shared_tower(size):
    left = keras.Input((12, size), name="essay")
    right = keras.Input((12, size), name="model_answer")
    tower = layers.LSTM(16)
    merged = layers.concatenate([tower(left), tower(right)], axis=-1)
    grade = layers.Dense(1)(merged)
    return keras.Model(inputs=[left, right], outputs=grade)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--size", type=int, default=6)
    return parser.parse_args()


def main():
    options = parse()
    rng = np.random.default_rng(0)
    essays = rng.normal(size=(64, 12, options.size)).astype("float32")
    answers = rng.normal(size=(64, 12, options.size)).astype("float32")
    grades = rng.uniform(1, 6, size=(64, 1)).astype("float32")
    model = shared_tower(options.size)
    model.compile(optimizer="adam", loss="mean_squared_error", metrics=["within_half"])  # <- cause
    model.fit([essays, answers], grades, epochs=options.epochs, batch_size=16, verbose=2)
    print(model.evaluate([essays, answers], grades, verbose=0))


main()
