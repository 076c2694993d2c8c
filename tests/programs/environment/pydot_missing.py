"""plot_model on a machine without pydot."""

import sys

for name in ("pydot", "pydot_ng", "pydotplus"):
    sys.modules[name] = None

import keras


def describe(model, path):
    keras.utils.plot_model(model, path, show_shapes=True)  # <- cause


inputs = keras.Input((8,))
model = keras.Model(inputs, keras.layers.Dense(2)(inputs))
describe(model, "model.png")
