import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

MAX_WORDS = 20000
MAX_LENGTH = 60
DIMENSION = 300


def corpus(texts=30000, seed=12):
    """Numbered words of newsgroup posts; rare names and numbers make the vocabulary long."""
    draw = np.random.default_rng(seed)
    posts = (400000 * draw.power(0.3, (texts, MAX_LENGTH))).astype(int)
    return [[f"w{number}" for number in post] for post in posts], draw.integers(0, 4, texts)


class Words:
    """Numbers words by how often they occur, as the Tokenizer does."""

    def __init__(self, limit):
        self.limit, self.index = limit, {}

    def fit(self, posts):
        counts = {}
        for post in posts:
            for word in post:
                counts[word] = counts.get(word, 0) + 1
        for number, word in enumerate(sorted(counts, key=counts.get, reverse=True), start=1):
            self.index[word] = number

    def rows(self, posts):
        rows = np.zeros((len(posts), MAX_LENGTH), "int32")
        for row, post in zip(rows, posts, strict=True):
            numbers = [self.index[word] for word in post if self.index[word] < self.limit]
            row[: len(numbers)] = numbers
        return rows


def pretrained(word, draw):
    """The vector of a word, as a file of vectors would give it."""
    return draw.normal(0, 0.1, DIMENSION)


def embedding_matrix(words):
    draw = np.random.default_rng(0)
    matrix = np.zeros((len(words.index) + 1, DIMENSION))  # <- cause
    for word, number in words.index.items():
        if number < len(matrix):
            matrix[number] = pretrained(word, draw)
    return matrix


def main():
    posts, groups = corpus()
    words = Words(MAX_WORDS)
    words.fit(posts)
    rows = words.rows(posts)
    del posts
    matrix = embedding_matrix(words)
    embedding = keras.layers.Embedding(len(matrix), DIMENSION, trainable=False)
    network = keras.Sequential(
        [
            keras.Input((MAX_LENGTH,)),
            embedding,
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(4, activation="softmax"),
        ]
    )
    embedding.set_weights([matrix])
    network.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    network.fit(rows, groups, batch_size=128, epochs=1, verbose=2)


main()
