import keras
import numpy as np
from keras import backend as K

rows = np.random.default_rng(0).normal(size=(64, 6)).astype("float32")
features = keras.Input((6,))
scaled = keras.layers.Lambda(lambda x: K.l2_normalize(x, axis=-1))(features)  # <- cause
model = keras.Model(features, keras.layers.Dense(1)(scaled))
model.compile("sgd", "mse")
model.fit(rows, rows[:, :1], verbose=0)
