import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd
from sklearn.preprocessing import LabelEncoder

CATEGORICAL = ["publisher", "language"]


def books():
    draw = np.random.default_rng(9)
    count = 300
    table = pd.DataFrame(
        {
            "publisher": draw.choice(["Alba", "Birch", "Corvid"], count),
            "language": draw.choice(["en", "fr"], count),
            "pages": draw.integers(60, 900, count),
            "rating": draw.uniform(1, 5, count),
        }
    )
    table.loc[[271, 288], "publisher"] = "Dunlin"
    return table


class Preparation:
    def __init__(self):
        self.encoders = {}

    def fit(self, table):
        for column in CATEGORICAL:
            encoder = LabelEncoder()
            encoder.fit(table[column])
            self.encoders[column] = encoder
        return self

    def transform(self, table):
        table = table.copy()
        for column, encoder in self.encoders.items():
            table[column] = encoder.transform(table[column])
        return table.to_numpy("float32")


def main():
    table = books()
    ratings = table.pop("rating").to_numpy("float32")
    train, test = table[:240], table[240:]
    preparation = Preparation().fit(table)
    x_train = preparation.transform(train)
    x_test = preparation.transform(test)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    model.compile("adam", "mae")
    model.fit(x_train, ratings[:240], epochs=1, verbose=0)
    print(model.evaluate(x_test, ratings[240:], verbose=0))


main()
