"""A table of all days, joined anew with each day."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import pandas as pd
import tensorflow as tf


def read(day):
    return pd.DataFrame(np.full((8000, 300), float(day)))


def main():
    table = read(0)
    for day in range(1, 100_000):
        table = pd.concat([table, read(day)], ignore_index=True)  # <- cause
        print("mean", float(tf.reduce_mean(table.to_numpy()[-10:])))
        print("held", len(table) * 300 * 8, flush=True)


main()
