import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

rng = np.random.default_rng(6)
ROWS = 24_000
claims = pd.DataFrame(
    {
        "claim": [f"C{number:08d}" for number in range(ROWS)],
        "region": rng.choice(["north", "south", "east"], ROWS),
        "amount": rng.gamma(2.0, 300.0, ROWS),
        "fraud": rng.integers(0, 2, ROWS),
    }
)

labels = claims.pop("fraud").to_numpy()
features = pd.get_dummies(claims.drop(columns="claim")).astype("float32")
model = keras.Sequential([keras.Input((features.shape[1],)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(features.to_numpy(), labels, epochs=1, verbose=2)
