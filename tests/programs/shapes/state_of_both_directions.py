"""A trained decoder put together anew for single steps, with a state of both directions."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

UNITS = 6

source, target = keras.Input((5, 3)), keras.Input((5, 2))
_, forward, _, backward, _ = layers.Bidirectional(layers.LSTM(UNITS, return_state=True))(source)
state = layers.concatenate([forward, backward])
cell, read = layers.GRU(2 * UNITS, return_sequences=True, return_state=True), layers.Dense(2)
model = keras.Model([source, target], read(cell(target, initial_state=state)[0]))
model.compile("adam", "mse")
rng = np.random.default_rng(4)
x, y = rng.normal(size=(32, 5, 3)), rng.normal(size=(32, 5, 2))
model.fit([x, y], y, epochs=1, verbose=0)

encoder = keras.Model(source, state)
held = keras.Input((2 * UNITS,), name="held")
steps, after = cell(target, initial_state=held)
decoder = keras.Model([target, held], [read(steps), after])
print(decoder.predict([y[:1], encoder.predict(x[:1], verbose=0)], verbose=0)[0].shape)
