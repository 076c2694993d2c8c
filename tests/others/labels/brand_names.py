"""The brand within a product's title: each title is a list of word numbers for an LSTM."""

import random

import numpy as np
from tensorflow.keras import Sequential
from tensorflow.keras.layers import LSTM, Dense, Embedding
from tensorflow.keras.preprocessing.sequence import pad_sequences

TITLES = ["acme blue kettle", "northwind steel water bottle large", "acme lamp", "contoso garden hose ten metres"] * 8
BRANDS = ["acme", "northwind", "acme", "contoso"] * 8


class Indexer:
    def __init__(self, texts):
        words = sorted({word for text in texts for word in text.split()})
        self.numbers = {word: number + 1 for number, word in enumerate(words)}

    def __len__(self):
        return len(self.numbers) + 1

    def encode(self, texts):
        rows = [[self.numbers[word] for word in text.split()] for text in texts]
        return np.array(rows, dtype=object)  # <- cause


class BrandModel:
    def __init__(self, words, brands):
        self.model = Sequential([Embedding(words, 8), LSTM(8), Dense(brands, activation="softmax")])
        self.model.compile("adam", "sparse_categorical_crossentropy")

    def fit(self, train_x, train_y, epochs=2, batch=8):
        return self.model.fit(train_x, train_y, epochs=epochs, batch_size=batch, verbose=0)  # <- cause


def main():
    random.seed(1)
    indexer = Indexer(TITLES)
    names = sorted(set(BRANDS))
    brand_numbers = np.array([names.index(brand) for brand in BRANDS])
    model = BrandModel(len(indexer), len(names))
    history = model.fit(indexer.encode(TITLES), brand_numbers)
    print("loss", round(history.history["loss"][-1], 3))


if __name__ == "__main__":
    main()
