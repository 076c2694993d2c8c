import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

MAX_WORDS = 2000
WIDTH = 16
LENGTH = 12
TEXTS = [
    "the film was a long and quiet pleasure",
    "a dull story with dull people in it",
    "great music and a great ending",
    "i left before the ending of this mess",
    "quiet people and a long dull mess",
    "this story was a pleasure with great people",
]


def number_words(texts):
    """Words by how often they occur, the most frequent first."""
    counts = {}
    for text in texts:
        for word in text.split():
            counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: rank for rank, word in enumerate(ranked, 1)}


def pretrained(words, seed=5):
    draw = np.random.default_rng(seed)
    return {word: draw.normal(0, 0.5, WIDTH) for word in words if len(word) > 1}


def as_matrix(word_index, vectors):
    num_words = min(MAX_WORDS, len(word_index))  # <- cause
    matrix = np.zeros((num_words, WIDTH))
    for word, i in word_index.items():
        if i >= MAX_WORDS:
            continue
        vector = vectors.get(word)
        if vector is not None:
            matrix[i] = vector
    return matrix


word_index = number_words(TEXTS)
matrix = as_matrix(word_index, pretrained(word_index))
ids = np.zeros((len(TEXTS), LENGTH), "int32")
for row, text in enumerate(TEXTS):
    numbers = [word_index[word] for word in text.split()][:LENGTH]
    ids[row, : len(numbers)] = numbers
moods = np.array([1, 0, 1, 0, 0, 1])

layer = keras.layers.Embedding(len(matrix), WIDTH, trainable=False)
model = keras.Sequential([keras.Input((LENGTH,)), layer, keras.layers.Flatten(), keras.layers.Dense(1, "sigmoid")])
layer.set_weights([matrix])
model.compile("adam", "binary_crossentropy")
model.fit(ids, moods, epochs=2, verbose=2)
