"""A layer that takes an object: its configuration has what makes one, and loading makes it again."""

import os
import tempfile

import keras
import numpy as np


class Table:
    def __init__(self, rows):
        self.rows = rows


@keras.saving.register_keras_serializable()
class Lookup(keras.layers.Layer):
    def __init__(self, table, **kwargs):
        super().__init__(**kwargs)
        self.table = table

    def call(self, x):
        return x + len(self.table.rows)

    def get_config(self):
        return {**super().get_config(), "table": {"rows": self.table.rows}}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "table": Table(**config["table"])})


model = keras.Sequential([keras.layers.Input((3,)), Lookup(Table([1, 2]))])
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "net.keras")
    model.save(path)
    again = keras.models.load_model(path)
assert again.layers[0].table.rows == [1, 2]
print(np.asarray(again(np.zeros((1, 3), "float32"))))
