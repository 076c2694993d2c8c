import multiprocessing
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np

ARTICLES, LENGTH, WORDS = 400, 50, 2000


def article(number):
    draw = np.random.default_rng(number)
    return " ".join(f"w{word}" for word in draw.integers(1, WORDS, LENGTH))


def numbers(text):
    """One text as numbers of its words."""
    return [int(word[1:]) for word in text.split()]


def train(rows, labels):
    import keras

    network = keras.Sequential(
        [
            keras.Input((LENGTH,)),
            keras.layers.Embedding(WORDS, 8),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    network.compile("adam", "binary_crossentropy")
    network.fit(rows, labels, epochs=1, verbose=2)


if __name__ == "__main__":
    texts = [article(number) for number in range(ARTICLES)]
    multiprocessing.set_start_method("spawn", force=True)
    with multiprocessing.Pool(2) as pool:
        rows = np.array(pool.map(numbers, texts))
    train(rows, (rows[:, 0] % 2).astype("float32"))
