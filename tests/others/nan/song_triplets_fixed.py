import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras

USERS, SONGS, LATENT = 60, 90, 16


def bpr_triplet_loss(user, good, bad):
    gap = tf.reduce_sum(user * good, axis=-1) - tf.reduce_sum(user * bad, axis=-1)
    return 1.0 - tf.sigmoid(gap)


class Triplets(keras.Model):
    def __init__(self):
        super().__init__()
        start = keras.initializers.RandomNormal(stddev=4.0)
        self.users = keras.layers.Embedding(USERS, LATENT, embeddings_initializer=start)
        self.songs = keras.layers.Embedding(SONGS, LATENT, embeddings_initializer=start)

    def call(self, ids):
        user, good, bad = ids[:, 0], ids[:, 1], ids[:, 2]
        return bpr_triplet_loss(self.users(user), self.songs(good), self.songs(bad))


def plays(count=1500, seed=1):
    draw = np.random.default_rng(seed)
    users = draw.integers(0, USERS, count)
    good = (users + draw.integers(0, 10, count)) % SONGS
    bad = draw.integers(0, SONGS, count)
    return np.stack([users, good, bad], axis=1).astype("int32")


def identity_loss(_, loss):
    return tf.reduce_mean(loss)


def main():
    keras.utils.set_random_seed(10)
    triplets = plays()
    model = Triplets()
    model.compile(optimizer=keras.optimizers.Adam(0.05), loss=identity_loss)
    for epoch in range(3):
        history = model.fit(triplets, np.ones(len(triplets), "float32"), batch_size=64, epochs=1, verbose=0)
        print("epoch", epoch, "loss", history.history["loss"][0])


if __name__ == "__main__":
    main()
