"""Recommender for books: the dot product of an embedding of readers and one of books."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Dense, Dot, Embedding, Flatten, Input
from tensorflow.keras.models import Model

FACTORS = 5


def read_ratings():
    rng = np.random.default_rng(21)
    count = 2000
    book = rng.integers(1, 301, count)
    book[0] = 300
    reader = rng.integers(1, 121, count)
    reader[0] = 120
    rating = rng.integers(1, 6, count).astype("float32")
    return {"book_id": book, "user_id": reader, "rating": rating}


def split(table, part=0.8):
    order = np.random.default_rng(0).permutation(len(table["rating"]) - 1) + 1
    order = np.concatenate([[0], order])
    edge = int(part * len(order))
    return (
        {name: column[order[:edge]] for name, column in table.items()},
        {name: column[order[edge:]] for name, column in table.items()},
    )


def recommender(n_books, n_users):
    book_input = Input(shape=[1], name="book")
    book_vec = Flatten()(Embedding(n_books, FACTORS, name="book_embedding")(book_input))
    user_input = Input(shape=[1], name="user")
    user_vec = Flatten()(Embedding(n_users, FACTORS, name="user_embedding")(user_input))
    product = Dot(axes=1)([book_vec, user_vec])
    return Model([user_input, book_input], Dense(1)(product))


def main():
    tf.keras.utils.set_random_seed(1)
    ratings = read_ratings()
    train, test = split(ratings)
    n_books = len(np.unique(ratings["book_id"])) + 1
    n_users = len(np.unique(ratings["user_id"])) + 1
    model = recommender(n_books, n_users)
    model.compile("adam", "mean_squared_error")
    model.fit([train["user_id"], train["book_id"]], train["rating"], epochs=1, verbose=0)
    print("mse", model.evaluate([test["user_id"], test["book_id"]], test["rating"], verbose=0))


if __name__ == "__main__":
    main()
