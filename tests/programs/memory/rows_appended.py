"""Each prediction is joined to all that were there before."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

encoder = keras.Sequential([keras.Input((50,)), keras.layers.Dense(4000, activation="relu")])
generator = np.random.default_rng(0)
embeddings = np.zeros((0, 4000), "float32")
for part in range(100_000):
    images = generator.random((1500, 50), dtype="float32")
    embeddings = np.append(embeddings, encoder(images).numpy(), axis=0)  # <- cause
    print("held", embeddings.nbytes, flush=True)
