import keras
import numpy as np
from keras import ops

rows = np.random.default_rng(0).normal(size=(64, 6)).astype("float32")
features = keras.Input((6,))
scaled = keras.layers.Lambda(lambda x: ops.normalize(x, axis=-1))(features)
model = keras.Model(features, keras.layers.Dense(1)(scaled))
model.compile("sgd", "mse")
model.fit(rows, rows[:, :1], verbose=0)
