"""Character model of words: the vocabulary is prepared once and stored beside the data."""

import os
import tempfile

import keras
import numpy as np

TEXT = "the cat sat on the mat and the dog ran after the cat"


class BatchLoader:
    def __init__(self, folder, length):
        vocab_file = os.path.join(folder, "vocab.npz")
        if not os.path.exists(vocab_file):
            self.prepare(vocab_file)
        self.idx2word, self.word2idx = self.unpack(vocab_file)
        ids = np.array([self.word2idx[word] for word in TEXT.split()])
        self.x = np.stack([ids[i : i + length] for i in range(len(ids) - length)])
        self.y = ids[length:]

    def prepare(self, vocab_file):
        words = sorted(set(TEXT.split()))
        np.savez(vocab_file, idx2word=words, word2idx=dict(zip(words, range(len(words)), strict=True)))

    def unpack(self, vocab_file):
        vocab = np.load(vocab_file, allow_pickle=True)
        return vocab["idx2word"], vocab["word2idx"].item()


def main():
    with tempfile.TemporaryDirectory() as folder:
        loader = BatchLoader(folder, length=3)
    words = len(loader.idx2word)
    model = keras.Sequential([keras.layers.Embedding(words, 8), keras.layers.LSTM(8), keras.layers.Dense(words)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(loader.x, loader.y, epochs=1, verbose=2)


main()
