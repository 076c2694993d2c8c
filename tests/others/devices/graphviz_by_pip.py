"""Draws a capsule network; graphviz and pydot were installed with pip."""

import os

os.environ["KERAS_BACKEND"] = "jax"
# As on a machine without Graphviz, whatever is installed on this one.
os.environ["PATH"] = os.path.dirname(os.__file__)
import keras


def squash(vectors):
    norm = keras.ops.sum(keras.ops.square(vectors), axis=-1, keepdims=True)
    return vectors * norm / (1 + norm) / keras.ops.sqrt(norm + 1e-7)


def build(shape, classes):
    inputs = keras.Input(shape)
    hidden = keras.layers.Conv2D(16, 5, activation="relu", name="conv1")(inputs)
    capsules = keras.layers.Reshape((-1, 8))(hidden)
    capsules = keras.layers.Lambda(squash, name="primary")(capsules)
    flat = keras.layers.Flatten()(capsules)
    return keras.Model(inputs, keras.layers.Dense(classes)(flat))


model = build((16, 16, 1), 10)
model.summary(print_fn=lambda line: None)
keras.utils.plot_model(model, to_file="model.png", show_shapes=True)  # <- cause
print("drawn")
