import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(4)
rng = np.random.default_rng(4)

N_RATINGS = 3000
readers = rng.integers(1, 121, size=N_RATINGS)
titles = rng.integers(1, 301, size=N_RATINGS)
readers[:120] = np.arange(1, 121)
titles[:300] = np.arange(1, 301)

taste = rng.normal(size=(121, 4))
style = rng.normal(size=(301, 4))
stars = np.clip(3.0 + (taste[readers] * style[titles]).sum(axis=1), 1, 5)
stars = stars.astype("float32")

order = rng.permutation(N_RATINGS)
cut = int(0.8 * N_RATINGS)
train_idx, test_idx = order[:cut], order[cut:]

n_readers = len(np.unique(readers)) + 1
n_titles = len(np.unique(titles)) + 1
print("readers:", n_readers, "titles:", n_titles)

title_in = layers.Input(shape=(1,), name="title")
title_vec = layers.Embedding(n_titles, 8, name="title_embedding")(title_in)
title_vec = layers.Flatten()(title_vec)

reader_in = layers.Input(shape=(1,), name="reader")
reader_vec = layers.Embedding(n_readers, 8, name="reader_embedding")(reader_in)
reader_vec = layers.Flatten()(reader_vec)

merged = layers.Concatenate()([title_vec, reader_vec])
hidden = layers.Dense(32, activation="relu")(merged)
score = layers.Dense(1)(hidden)

model = tf.keras.Model([title_in, reader_in], score)
model.compile(optimizer="adam", loss="mean_squared_error")

history = model.fit(
    [titles[train_idx], readers[train_idx]],
    stars[train_idx],
    batch_size=64,
    epochs=2,
    verbose=2,
)

mse = model.evaluate([titles[test_idx], readers[test_idx]], stars[test_idx], verbose=0)
print("held-out mse: %.3f" % mse)
