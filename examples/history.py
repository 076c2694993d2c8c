"""A training that goes well, and a last line that takes what `fit` returns for a dictionary.

    whydied run examples/history.py

The report names the form that was tried on the values of that line, and `whydied fix` shows it as a patch.
"""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x = rng.normal(size=(256, 8)).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
losses = model.fit(x, x.sum(axis=1), epochs=3, verbose=0)
first, *_, last = losses["loss"]
print(f"the loss went from {first:.3f} to {last:.3f}")
