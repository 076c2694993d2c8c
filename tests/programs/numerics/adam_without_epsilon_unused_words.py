"""Words that no batch has: Adam divides nothing by nothing for their rows, and no loss ever shows it."""

import keras
import numpy as np

keras.utils.set_random_seed(3)
words = np.random.randint(0, 30, (128, 5))
liked = np.random.randint(0, 2, (128, 1)).astype("float32")
model = keras.Sequential(
    [keras.layers.Input([5], dtype="int32"), keras.layers.Embedding(40, 4), keras.layers.Flatten(), keras.layers.Dense(1)]
)
model.compile(keras.optimizers.Adam(1e-3, epsilon=0.0), "mse")  # <- cause
for start in range(0, 128, 32):
    model.train_on_batch(words[start : start + 32], liked[start : start + 32])
