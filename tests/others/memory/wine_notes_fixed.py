import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tf_keras as keras

ROWS = 12000


def notes(seed=8):
    """Descriptions and prices of wines."""
    draw = np.random.default_rng(seed)
    words = np.array([f"word{number}" for number in range(30000)])
    chosen = (30000 * draw.power(0.4, (ROWS, 18))).astype(int).clip(0, 29999)
    return [" ".join(row) for row in words[chosen]], draw.uniform(5, 90, ROWS)


def bag_of_words(texts):
    tokenize = keras.preprocessing.text.Tokenizer(num_words=2000, char_level=False)
    tokenize.fit_on_texts(texts)
    print("words", len(tokenize.word_index), flush=True)
    return tokenize.texts_to_matrix(texts)


def wide_model(width):
    bag = keras.Input((width,))
    x = keras.layers.Dense(64, activation="relu")(bag)
    return keras.Model(bag, keras.layers.Dense(1)(x))


def main():
    texts, prices = notes()
    split = int(len(texts) * 0.8)
    bags = bag_of_words(texts[:split])
    network = wide_model(bags.shape[1])
    network.compile("adam", "mse", metrics=["mae"])
    network.fit(bags, prices[:split], epochs=1, batch_size=128, verbose=2)


main()
