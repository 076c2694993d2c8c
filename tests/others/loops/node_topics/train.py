"""Topics of papers from their words and citations, with graph convolutions."""

import numpy as np
import keras
from keras import layers

from graph import GraphConvolution

keras.utils.set_random_seed(0)

NODES, WORDS, TOPICS = 120, 40, 4


def citations(rng, topics):
    same = topics[:, None] == topics[None, :]
    links = rng.random((NODES, NODES)) < np.where(same, 0.15, 0.01)
    links = np.logical_or(links, links.T).astype("float32")
    np.fill_diagonal(links, 1.0)
    degree = links.sum(axis=1)
    return links / np.sqrt(degree[:, None] * degree[None, :])


def main():
    rng = np.random.default_rng(0)
    topics = rng.integers(0, TOPICS, NODES)
    words = rng.random((NODES, WORDS)).astype("float32")
    words[np.arange(NODES), topics] += 1.0
    adjacency = citations(rng, topics).astype("float32")

    features_in = layers.Input((WORDS,), name="words")
    adjacency_in = layers.Input((NODES,), name="links")
    hidden = layers.Dropout(0.5)(features_in)
    hidden = GraphConvolution(16, activation="relu", kernel_regularizer="l2")([hidden, adjacency_in])
    hidden = layers.Dropout(0.5)(hidden)
    output = GraphConvolution(TOPICS, activation="softmax")([hidden, adjacency_in])
    model = keras.Model([features_in, adjacency_in], output)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])

    for epoch in range(10):
        model.fit([words, adjacency], topics, batch_size=NODES, epochs=1, shuffle=False, verbose=0)
        loss, accuracy = model.evaluate([words, adjacency], topics, batch_size=NODES, verbose=0)
        print(f"epoch {epoch}: loss {loss:.3f} accuracy {accuracy:.3f}")


main()
