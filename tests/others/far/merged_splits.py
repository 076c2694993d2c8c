import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd


def people(count=120):
    draw = np.random.default_rng(71)
    table = pd.DataFrame(draw.normal(0, 1, (count, 3)), columns=["age", "income", "visits"])
    target = (table["income"] > 0).to_numpy("float32")
    return table, target


def split(table, target, part=0.5):
    chosen = np.random.default_rng(1).random(len(table)) < part
    return table[chosen], target[chosen]


def shuffled(x, y):
    order = x.sample(frac=1, random_state=3).index
    return x.loc[order], y.loc[order]


def main():
    table, target = people()
    x_train, y_train = split(table, target)
    y_train = pd.Series(y_train)  # <- cause
    x, y = shuffled(x_train, y_train)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy")
    model.fit(x.to_numpy("float32"), y.to_numpy(), epochs=1, verbose=0)


main()
