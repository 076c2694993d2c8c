"""Some answers are missing and were read as -1."""

import keras
import numpy as np


def read():
    rng = np.random.default_rng(9)
    answers = rng.integers(0, 5, 240)
    answers[[12, 100, 239]] = -1
    return rng.random((240, 6)).astype("float32"), answers


def main():
    survey, answers = read()
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(5)])
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(survey, answers, batch_size=24, verbose=0)  # <- cause


main()
