"""Clicks on adverts: embeddings of the user and the advert, multiplied."""

import numpy as np
import tensorflow as tf
from tensorflow.python.keras.layers import Dense, Embedding, Flatten, Input, Multiply  # <- cause
from tensorflow.python.keras.models import Model  # <- cause


def click_model(users, adverts, width=6):
    user, advert = Input((1,)), Input((1,))
    both = Multiply()([Embedding(users, width)(user), Embedding(adverts, width)(advert)])
    return Model([user, advert], Dense(1, activation="sigmoid")(Flatten()(both)))


def main(learning_rate=0.01):
    rng = np.random.default_rng(8)
    users, adverts = rng.integers(0, 30, (200, 1)), rng.integers(0, 20, (200, 1))
    model = click_model(30, 20)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate=learning_rate), loss="binary_crossentropy"
    )  # <- cause
    model.fit([users, adverts], (users + adverts) % 2, epochs=1, verbose=2)


main()
