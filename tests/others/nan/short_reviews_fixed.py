import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras

TEXTS = [
    "good film",
    "bad film",
    "very good",
    "very bad plot",
    "the plot was good",
    "a dull evening",
    "loved it",
    "hated it",
]


def collect(repeats=24):
    texts = [TEXTS[number % len(TEXTS)] for number in range(len(TEXTS) * repeats)]
    labels = np.array([1, 0, 1, 0, 1, 0, 1, 0] * repeats, "float32")
    texts[77] = "!!!"
    texts[130] = ""
    return texts, labels


def word_ids(texts, length=6):
    """Ids of words from 1; 0 is padding."""
    words = sorted({word for text in texts for word in text.split() if word.isalpha()})
    index = {word: number for number, word in enumerate(words, 1)}
    ids = np.zeros((len(texts), length), "int32")
    for row, text in enumerate(texts):
        known = [index[word] for word in text.split() if word in index][:length]
        ids[row, : len(known)] = known
    return ids, len(words) + 1


def network(vocabulary):
    model = keras.Sequential()
    model.add(keras.Input((None,), dtype="int32"))
    model.add(keras.layers.Embedding(vocabulary, 8, mask_zero=True))
    model.add(keras.layers.GlobalAveragePooling1D())
    model.add(keras.layers.Dense(8, activation="tanh"))
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    return model


def main():
    keras.utils.set_random_seed(13)
    texts, labels = collect()
    ids, vocabulary = word_ids(texts)
    kept = (ids != 0).any(axis=1)
    ids, labels = ids[kept], labels[kept]
    model = network(vocabulary)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(ids, labels, batch_size=16, epochs=2, shuffle=False, verbose=2)
    assert tf.executing_eagerly()


main()
