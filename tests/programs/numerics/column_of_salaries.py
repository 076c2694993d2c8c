"""One column of the table is in whole units of money, a million times the others: the usual rate diverges at once."""

import keras
import numpy as np


def people(count, seed):
    draw = np.random.default_rng(seed)
    age = draw.uniform(20, 65, count) / 100
    years = draw.uniform(0, 30, count) / 30
    salary = draw.lognormal(11.5, 0.5, count)
    rating = 0.4 * age + 0.3 * years + salary / 1e6 + draw.normal(0, 0.05, count)
    return np.stack([age, years, salary], axis=1), rating


keras.utils.set_random_seed(7)
table, rating = people(600, 7)
features = table.astype("float32")  # <- cause
model = keras.Sequential(
    [
        keras.Input((3,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile("sgd", "mse")
model.fit(features, rating, validation_split=0.2, batch_size=32, epochs=4, verbose=2)
