"""Saves a layer that takes an object and cannot tell it."""

import os
import tempfile

import keras


class Table:
    def __init__(self, rows):
        self.rows = rows


class Lookup(keras.layers.Layer):
    def __init__(self, table, **kwargs):  # <- cause
        super().__init__(**kwargs)
        self.table = table

    def call(self, x):
        return x + len(self.table.rows)


model = keras.Sequential([keras.layers.Input((3,)), Lookup(Table([1, 2]))])
with tempfile.TemporaryDirectory() as directory:
    model.save(os.path.join(directory, "net.keras"))
