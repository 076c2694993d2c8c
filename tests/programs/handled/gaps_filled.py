"""A table with missing values: means of the columns fill them, rows without a target are dropped, then a model is trained."""

import keras
import numpy as np
import pandas as pd

rng = np.random.default_rng(14)
table = pd.DataFrame(rng.normal(size=(600, 5)), columns=["age", "income", "debt", "years", "score"])
table = table.mask(rng.random(table.shape) < 0.1)
print("missing", int(table.isna().sum().sum()) > 0, table["age"].mean() == table["age"].mean())
table = table.dropna(subset=["score"])
features = table.drop(columns="score")
features = (features - features.mean()) / features.std()
features = features.fillna(0.0)
share = table.groupby(pd.cut(table["age"], np.arange(-9, 9)), observed=False)["income"].mean()
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile("adam", "mae")
model.fit(features.to_numpy("float32"), table["score"].to_numpy("float32"), epochs=3, verbose=0)
print("groups without rows", int(share.isna().sum()) > 0, np.nanmean(share.to_numpy()) < 1)
