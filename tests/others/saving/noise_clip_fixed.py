"""Noise suppression: recurrent layers with clipped weights, trained, saved and loaded for the evaluation."""

import os
import tempfile

import keras
import numpy as np
from keras import ops
from keras.constraints import Constraint


class WeightClip(Constraint):
    """Keeps weights inside [-c, c]."""

    def __init__(self, c=2, **kwargs):
        self.c = c

    def __call__(self, p):
        return ops.clip(p, -self.c, self.c)

    def get_config(self):
        return {"name": self.__class__.__name__, "c": self.c}


def mycost(y_true, y_pred):
    return ops.mean(ops.square(ops.sqrt(y_pred + 1e-6) - ops.sqrt(y_true + 1e-6)), axis=-1)


def network(bands):
    constraint = WeightClip(0.5)
    main_input = keras.Input((None, bands))
    tmp = keras.layers.Dense(12, activation="tanh", kernel_constraint=constraint)(main_input)
    gru = keras.layers.GRU(12, return_sequences=True, kernel_constraint=constraint)(tmp)
    return keras.Model(main_input, keras.layers.Dense(bands, activation="sigmoid")(gru))


def train(path, bands=8):
    rng = np.random.default_rng(12)
    x = rng.random((40, 20, bands)).astype("float32")
    model = network(bands)
    model.compile(loss=mycost, optimizer="adam")
    model.fit(x, x**2, epochs=1, verbose=0)
    model.save(path)
    return x


def evaluate(path, x):
    model = keras.models.load_model(path, custom_objects={"WeightClip": WeightClip, "mycost": mycost})
    return model.evaluate(x, x**2, verbose=0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "weights.keras")
        print("cost", evaluate(target, train(target)))
