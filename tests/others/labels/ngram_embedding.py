"""Sentence polarity from word ids, own vocabulary."""
import os
from collections import Counter

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

MAXLEN = 8
GOOD = "great lovely superb crisp bright friendly quick tasty".split()
BAD = "awful bland broken slow rude dirty noisy stale".split()
FILLER = "the food room staff was and very phone place really it a".split()


def make_corpus(n=240, seed=8):
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(n):
        mood = GOOD if i % 2 else BAD
        words = list(rng.choice(FILLER, size=4)) + list(rng.choice(mood, size=2))
        rng.shuffle(words)
        texts.append(" ".join(words))
        labels.append(i % 2)
    return texts, np.array(labels, dtype="float32")


class Vocabulary:
    def __init__(self):
        self.word_index = {}

    def fit(self, texts):
        counts = Counter(w for t in texts for w in t.split())
        for rank, (word, _) in enumerate(counts.most_common(), start=1):  # <- cause
            self.word_index[word] = rank
        return self

    def __len__(self):
        return len(self.word_index)  # <- cause

    def encode(self, texts):
        rows = np.zeros((len(texts), MAXLEN), dtype="int32")
        for i, text in enumerate(texts):
            ids = [self.word_index[w] for w in text.split() if w in self.word_index]
            rows[i, :len(ids)] = ids[:MAXLEN]
        return rows


def build_model(vocab_size, dim=16):
    model = tf.keras.Sequential([
        layers.Input(shape=(MAXLEN,), dtype="int32"),
        layers.Embedding(vocab_size, dim),  # <- cause
        layers.Conv1D(16, 3, activation="relu"),
        layers.GlobalMaxPooling1D(),
        layers.Dense(1, activation="sigmoid"),
    ])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def main():
    tf.keras.utils.set_random_seed(8)
    texts, labels = make_corpus()
    vocab = Vocabulary().fit(texts)
    print("vocabulary:", len(vocab), "words")
    data = vocab.encode(texts)
    cut = 200
    model = build_model(len(vocab))  # <- cause
    model.fit(data[:cut], labels[:cut], epochs=2, batch_size=20, verbose=2)
    print(model.evaluate(data[cut:], labels[cut:], verbose=0))


if __name__ == "__main__":
    main()
