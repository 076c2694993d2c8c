import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

vocab_size, max_len, n_labels = 20, 10, 5
n_samples = 500  # <- cause
batch_size = 16  # <- cause

# Levels of the tide, rounded, and which of five warnings were given.
rng = np.random.default_rng(44)
levels = rng.integers(0, vocab_size, size=(n_samples, max_len))
warnings = rng.integers(0, 2, size=(n_samples, n_labels)).astype("float32")

model = keras.Sequential()
model.add(keras.Input(batch_shape=(batch_size, max_len)))
model.add(keras.layers.Embedding(vocab_size, 12))
model.add(keras.layers.LSTM(24, stateful=True))
model.add(keras.layers.Dropout(0.5))
model.add(keras.layers.Dense(n_labels, activation="sigmoid"))
model.compile(loss="binary_crossentropy", optimizer="adam")

for epoch in range(2):
    model.fit(levels, warnings, batch_size=batch_size, epochs=1, shuffle=False, verbose=2)  # <- cause
    model.layers[1].reset_state()
