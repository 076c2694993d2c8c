# Book recommender: dot product of a reader vector and a book vector.
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import Model
from tensorflow.keras.layers import Dense, Dot, Embedding, Flatten, Input

tf.random.set_seed(0)
rng = np.random.default_rng(0)

# ---- ratings table (ids start at 1, as in the export of the shop) ----
N_READERS, N_BOOKS, N_ROWS = 40, 60, 900
ratings = pd.DataFrame(
    {
        "book_id": rng.integers(1, N_BOOKS + 1, N_ROWS),
        "reader_id": rng.integers(1, N_READERS + 1, N_ROWS),
    }
)
taste = rng.normal(size=N_READERS + 1)
quality = rng.normal(size=N_BOOKS + 1)
raw = 3 + taste[ratings.reader_id] * quality[ratings.book_id]
ratings["rating"] = np.clip(np.round(raw), 1, 5)
print(ratings.describe().loc[["min", "max"]])

shuffled = ratings.sample(frac=1.0, random_state=1).reset_index(drop=True)
train, test = shuffled.iloc[:720], shuffled.iloc[720:]

# ---- model ----
n_books = ratings.book_id.nunique()  # <- cause
n_readers = ratings.reader_id.nunique()  # <- cause

book_input = Input(shape=(1,), name="book")
book_vec = Flatten(name="book_vec")(Embedding(n_books, 5, name="book_embedding")(book_input))  # <- cause

reader_input = Input(shape=(1,), name="reader")
reader_vec = Flatten(name="reader_vec")(
    Embedding(n_readers, 5, name="reader_embedding")(reader_input)  # <- cause
)

product = Dot(axes=1, name="product")([book_vec, reader_vec])
score = Dense(1, name="score")(product)
model = Model([book_input, reader_input], score)
model.compile("adam", "mean_squared_error")

# ---- training ----
history = model.fit(
    [train.book_id.to_numpy(), train.reader_id.to_numpy()],
    train.rating.to_numpy(),
    epochs=3,
    batch_size=64,
    verbose=0,
)
print("mse per epoch:", [round(v, 2) for v in history.history["loss"]])
test_mse = model.evaluate(
    [test.book_id.to_numpy(), test.reader_id.to_numpy()], test.rating.to_numpy(), verbose=0
)
print("test mse:", round(float(test_mse), 2))

weights = model.get_layer("book_embedding").get_weights()[0]
print("book matrix", weights.shape)
