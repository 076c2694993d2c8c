import numpy as np
import pandas as pd
from tensorflow.keras.layers import Dense, Dot, Embedding, Flatten, Input
from tensorflow.keras.models import Model


def load_ratings(n_users=60, n_books=90, n=1200):
    rng = np.random.default_rng(2)
    df = pd.DataFrame({
        "book_id": rng.integers(1, n_books + 1, size=n),
        "user_id": rng.integers(1, n_users + 1, size=n),
        "rating": rng.integers(1, 6, size=n),
    })
    return df.drop_duplicates(subset=["book_id", "user_id"])


def train_test(df, test_size=0.2):
    test = df.sample(frac=test_size, random_state=42)
    return df.drop(test.index), test


def dot_model(n_users, n_books, dim=5):
    book_input = Input(shape=(1,), name="Book-Input")
    book_emb = Embedding(n_books + 1, dim, name="Book-Embedding")(book_input)
    book_vec = Flatten(name="Flatten-Books")(book_emb)

    user_input = Input(shape=(1,), name="User-Input")
    user_emb = Embedding(n_users + 1, dim, name="User-Embedding")(user_input)
    user_vec = Flatten(name="Flatten-Users")(user_emb)

    prod = Dot(name="Dot-Product", axes=1)([book_vec, user_vec])
    out = Dense(1)(prod)
    model = Model([user_input, book_input], out)
    model.compile("adam", "mean_squared_error")
    return model


ratings = load_ratings()
train, test = train_test(ratings)

n_users = len(ratings.user_id.unique())
n_books = len(ratings.book_id.unique())
print(len(ratings), "ratings", n_users, "users", n_books, "books")

model = dot_model(n_users, n_books)
model.fit([train.user_id.to_numpy(), train.book_id.to_numpy()], train.rating.to_numpy(),
          epochs=3, verbose=2)
mse = model.evaluate([test.user_id.to_numpy(), test.book_id.to_numpy()],
                     test.rating.to_numpy(), verbose=0)
print("test mse", mse)
