"""The model is trained on finite data; what it is to predict from has a gap in one row."""

import keras
import numpy as np

keras.utils.set_random_seed(3)
draw = np.random.default_rng(3)
known = draw.random((64, 4), "float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, "tanh"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(known, known.sum(axis=1), epochs=1, verbose=0)

fresh = draw.random((20, 4), "float32")
fresh[13, 2] = float("nan")  # <- cause
predicted = model.predict(fresh, verbose=0)  # <- cause
print("mean", predicted.mean())
