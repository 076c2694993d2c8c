import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

DIMENSION, FILE_WORDS, TEXT_WORDS = 200, 60000, 3000


def vector_file(path, seed=1):
    """A file with a word and its numbers in each line, the frequent words first."""
    draw = np.random.default_rng(seed)
    with open(path, "w") as file:
        for word in range(FILE_WORDS):
            numbers = draw.normal(0, 0.3, DIMENSION).round(4)
            file.write(f"w{word} " + " ".join(map(str, numbers)) + "\n")


def load_vectors(path):
    vectors = {}
    with open(path) as file:
        for line in file:
            word, *numbers = line.split()
            vectors[word] = [float(number) for number in numbers]  # <- cause
    return vectors


def network(matrix):
    embedding = keras.layers.Embedding(*matrix.shape, trainable=False)
    model = keras.Sequential(
        [keras.Input((20,)), embedding, keras.layers.GRU(8), keras.layers.Dense(2, activation="softmax")]
    )
    embedding.set_weights([matrix])
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vectors.txt")
        vector_file(path)
        vectors = load_vectors(path)
    matrix = np.zeros((TEXT_WORDS + 1, DIMENSION), "float32")
    for number in range(TEXT_WORDS):
        matrix[number + 1] = vectors[f"w{number}"]
    draw = np.random.default_rng(2)
    model = network(matrix)
    model.fit(draw.integers(1, TEXT_WORDS, (64, 20)), draw.integers(0, 2, 64), epochs=1, verbose=2)


main()
