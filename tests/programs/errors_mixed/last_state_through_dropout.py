"""Two recurrent layers with others between them that pass the shape on."""

import keras

series = keras.Input((20, 3))
inner = keras.layers.GRU(16)(series)  # <- cause
inner = keras.layers.LayerNormalization()(inner)
inner = keras.layers.Dropout(0.2)(inner)
inner = keras.layers.GRU(16)(inner)
model = keras.Model(series, keras.layers.Dense(1)(inner))
model.summary()
