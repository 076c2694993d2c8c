"""Sentiment of parse trees."""

import pickle
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf


WORDS = 300


def left_branching(words):
    """(((w0 w1) w2) w3) ..."""
    tree = int(words[0])
    for word in words[1:]:
        tree = [tree, int(word)]
    return tree


def read_treebank(rng, documents=40):
    trees, labels = [], []
    for number in range(documents):
        length = 60_000 if number == 31 else int(rng.integers(8, 60))
        words = rng.integers(0, WORDS, length)
        trees.append(left_branching(words))
        labels.append(int(words.mean() > WORDS / 2))
    return trees, np.array(labels)


def cache_trees(trees, folder):
    for number, tree in enumerate(trees):
        path = folder / f"tree{number:03}.pickle"
        path.write_bytes(pickle.dumps(leaves(tree)))
    return sorted(folder.glob("*.pickle"))


def leaves(tree):
    words = []
    while isinstance(tree, list):
        tree, word = tree
        words.append(word)
    return [tree, *reversed(words)]


def main():
    trees, labels = read_treebank(np.random.default_rng(5))
    with tempfile.TemporaryDirectory() as folder:
        files = cache_trees(trees, Path(folder))
        sentences = [pickle.loads(file.read_bytes()) for file in files]
    words = tf.keras.utils.pad_sequences(sentences, 40)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(WORDS, 16),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    model.fit(words, labels, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
