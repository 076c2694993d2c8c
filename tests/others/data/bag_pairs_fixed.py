import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

SIDE = 8


def read_domain(seed, count=40):
    return list(np.random.default_rng(seed).normal(seed, 1, (count, SIDE, SIDE, 1)).astype("float32"))


def shuffle_data(da, db):
    a_idx = list(range(len(da)))
    np.random.shuffle(a_idx)
    b_idx = list(range(len(db)))
    np.random.shuffle(b_idx)
    return np.array(da)[np.array(a_idx)], np.array(db)[np.array(b_idx)]


def generator():
    model = keras.Sequential([keras.Input((SIDE, SIDE, 1)), keras.layers.Conv2D(4, 3, padding="same")])
    model.add(keras.layers.Conv2D(1, 3, padding="same"))
    model.compile("adam", "mae")
    return model


def main():
    bags, shoes = read_domain(1), read_domain(2)
    model = generator()
    for _ in range(2):
        a, b = shuffle_data(bags, shoes)
        model.fit(a, b, epochs=1, verbose=0)


main()
