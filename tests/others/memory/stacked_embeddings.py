import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def clips(count, seed=5):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        yield draw.random((1000, 64), dtype="float32")


def build():
    return keras.Sequential([keras.Input((64,)), keras.layers.Dense(4096, activation="tanh")])


def extract(model, source):
    features = None
    for number, clip in enumerate(source):
        activations = model.predict_on_batch(clip)
        features = activations if features is None else np.vstack((features, activations))  # <- cause
        if number % 5 == 0:
            print("clip", number, "features", features.shape, flush=True)
    return features


features = extract(build(), clips(60))
print("spread", features.std(axis=0).mean())
