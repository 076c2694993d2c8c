import os
import resource
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

x = np.random.rand(16, 2000).astype("float32")


def train(path):
    net = keras.Sequential([keras.Input((2000,)), keras.layers.Dense(2000), keras.layers.Dense(1)])
    net.save(path)


def answer(path):
    net = keras.models.load_model(path)
    return net.predict(x, verbose=0)  # <- cause


with tempfile.TemporaryDirectory() as directory:
    train(f"{directory}/net.keras")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for request in range(10_000):
        answer(f"{directory}/net.keras")
        print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
