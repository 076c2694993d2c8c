import json
import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

LENGTH = 12


def preprocess(where, seed=6):
    """Numbers the words of all reviews, from 1, and writes rows and settings for the training script."""
    draw = np.random.default_rng(seed)
    known = [f"word{number}" for number in range(300)]
    reviews = [draw.choice(known, draw.integers(5, LENGTH)) for _ in range(400)]
    vocabulary = {}
    for review in reviews:
        for word in review:
            vocabulary.setdefault(word, len(vocabulary) + 1)
    rows = np.zeros((len(reviews), LENGTH), "int32")
    for row, review in zip(rows, reviews, strict=True):
        row[: len(review)] = [vocabulary[word] for word in review]
    np.save(os.path.join(where, "rows.npy"), rows)
    np.save(os.path.join(where, "labels.npy"), draw.integers(0, 2, len(rows)).astype("float32"))
    with open(os.path.join(where, "settings.json"), "w") as file:
        json.dump({"vocabulary": vocabulary, "vocab_size": len(vocabulary)}, file)


class CnnClassifier(keras.Model):
    def __init__(self, vocab_size, width=16, filters=8, dropout=0.2):
        super().__init__()
        self.embedding = keras.layers.Embedding(vocab_size, width)
        self.convolutions = [
            keras.layers.Conv1D(filters, size, padding="valid", activation="relu") for size in (3, 4, 5)
        ]
        self.pooling = keras.layers.GlobalMaxPooling1D()
        self.dropout = keras.layers.Dropout(dropout)
        self.out = keras.layers.Dense(1, activation="sigmoid")

    def call(self, rows, training=False):
        words = self.dropout(self.embedding(rows), training=training)
        found = [self.pooling(convolution(words)) for convolution in self.convolutions]
        return self.out(keras.ops.concatenate(found, axis=-1))


def load(where):
    with open(os.path.join(where, "settings.json")) as file:
        settings = json.load(file)
    return np.load(os.path.join(where, "rows.npy")), np.load(os.path.join(where, "labels.npy")), settings


def train(where):
    rows, labels, settings = load(where)
    vocab_size = settings["vocab_size"] + 1
    model = CnnClassifier(vocab_size)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(rows, labels, batch_size=32, epochs=1, verbose=2)


def main():
    with tempfile.TemporaryDirectory() as where:
        preprocess(where)
        train(where)


main()
