"""Collaborative filtering: an embedding for each user and film, sized by how many there are, fails on the ids."""

import numpy as np
import pandas as pd
from tensorflow import keras
from tensorflow.keras import layers


def read_ratings(rows=12_000):
    rng = np.random.default_rng(6)
    users = rng.choice(np.arange(1, 4_000), 610, replace=False)
    films = rng.choice(np.arange(1, 190_000), 900, replace=False)
    return pd.DataFrame(
        {
            "userId": rng.choice(users, rows),
            "movieId": rng.choice(films, rows),
            "rating": rng.integers(1, 11, rows) / 2,
        }
    )


def factor_model(n_users, n_films, factors=16):
    user = keras.Input((1,), name="user")
    film = keras.Input((1,), name="film")
    u = layers.Reshape((factors,))(layers.Embedding(n_users, factors)(user))
    m = layers.Reshape((factors,))(layers.Embedding(n_films, factors)(film))
    outputs = layers.Dot(axes=1)([u, m])
    model = keras.Model([user, film], outputs)
    model.compile(loss="mse", optimizer=keras.optimizers.Adam(0.001))
    return model


def main():
    ratings = read_ratings()
    ratings["user"] = ratings["userId"]  # <- cause
    ratings["film"] = ratings["movieId"]  # <- cause
    n_users = ratings["user"].nunique()
    n_films = ratings["film"].nunique()
    print(n_users, "users", n_films, "films")
    model = factor_model(n_users, n_films)
    columns = [ratings["user"].to_numpy(), ratings["film"].to_numpy()]
    model.fit(columns, ratings["rating"].to_numpy(), batch_size=64, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
