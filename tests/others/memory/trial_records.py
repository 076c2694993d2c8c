import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


class Tuner:
    def __init__(self, data, seed=0):
        self.x, self.y = data
        self.draw = np.random.default_rng(seed)
        self.trials = []

    def build(self, units):
        model = tf.keras.Sequential()
        model.add(tf.keras.layers.Input((self.x.shape[1],)))
        model.add(tf.keras.layers.Dense(units, activation="relu"))
        model.add(tf.keras.layers.Dense(1000))
        model.add(tf.keras.layers.Dense(1))
        return model

    def evaluate(self, model):
        error = model(self.x) - self.y
        return float(tf.reduce_mean(tf.square(error)))

    def search(self, count):
        for number in range(count):
            units = int(self.draw.integers(3000, 6000))
            model = self.build(units)
            self.trials.append({"units": units, "model": model, "score": self.evaluate(model)})  # <- cause
            print("trial", number, self.trials[-1]["score"], flush=True)
        return min(self.trials, key=lambda one: one["score"])["units"]


draw = np.random.default_rng(2)
x = draw.normal(size=(64, 500)).astype("float32")
print("best", Tuner((x, x[:, :1])).search(60))
