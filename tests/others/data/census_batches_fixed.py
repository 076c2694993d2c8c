import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

CHUNK = 25
COLUMNS = ["age", "education", "hours", "gain"]


def people(count, seed):
    draw = np.random.default_rng(seed)
    table = pd.DataFrame(draw.normal(0, 1, (count, 4)), columns=COLUMNS)
    table["income"] = (table["education"] + table["gain"] > 0).astype(int)
    return table


def generator_input(table, chunk_size):
    labels = table["income"]
    input_data = table[COLUMNS]
    index = 0
    while True:
        rows = range(index, index + chunk_size)
        yield input_data.iloc[rows].to_numpy("float32"), labels.iloc[rows].to_numpy("float32")
        index = (index + chunk_size) % len(input_data)


def model_fn(width):
    model = keras.Sequential([keras.Input((width,)), keras.layers.Dense(10, activation="relu")])
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
    return model


def dispatch(train_steps=4, epochs=3):
    census = people(200, 1)
    model = model_fn(len(COLUMNS))
    model.fit(generator_input(census, CHUNK), steps_per_epoch=train_steps, epochs=epochs, verbose=2)


dispatch()
