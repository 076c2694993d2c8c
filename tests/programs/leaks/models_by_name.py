import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class Ensemble:
    def __init__(self):
        self.members = {}

    def train(self, name, x, y):
        inputs = keras.Input((400,))
        hidden = keras.layers.Dense(4000, activation="relu")(inputs)
        hidden = keras.layers.Dense(2000)(hidden)
        model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
        model.compile("sgd", "mse")
        model.train_on_batch(x, y)
        self.members[name] = model  # <- cause


ensemble = Ensemble()
for fold in range(10_000):
    ensemble.train(f"fold {fold}", np.random.rand(16, 400), np.random.rand(16, 1))
    print("held", sum(model.count_params() for model in ensemble.members.values()) * 4, flush=True)
