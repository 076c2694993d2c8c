"""Several targets of which some are missing: NaN becomes zero with a sample weight of zero."""

import keras
import numpy as np

rng = np.random.default_rng(15)
x = rng.normal(size=(300, 7)).astype("float32")
targets = {"height": x[:, :1] * 2, "weight": x[:, 1:2] - x[:, 2:3]}
for values in targets.values():
    values[rng.random(len(values)) < 0.3] = np.nan
weights = {name: (~np.isnan(values[:, 0])).astype("float32") for name, values in targets.items()}
filled = {name: np.nan_to_num(values) for name, values in targets.items()}

inputs = keras.Input((7,))
hidden = keras.layers.Dense(16, activation="relu")(inputs)
model = keras.Model(inputs, {name: keras.layers.Dense(1, name=name)(hidden) for name in targets})
model.compile("adam", {name: "mse" for name in targets})
model.fit(x, filled, sample_weight=weights, epochs=3, batch_size=50, verbose=0)
guess = model.predict(x, verbose=0)
for name, values in targets.items():
    print(name, bool(np.nanmean((guess[name] - values) ** 2) < 10))
