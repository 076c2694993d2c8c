"""Shop forecast with two inputs (text and numbers of an article) and two outputs (price and stock)."""

import numpy as np
from tensorflow.keras.layers import Concatenate, Dense, Embedding, GlobalAveragePooling1D, Input
from tensorflow.keras.models import Model

BATCH = 32
WORDS, LENGTH, NUMBERS = 120, 9, 4


def articles(count, seed):
    rng = np.random.default_rng(seed)
    return {
        "text": rng.integers(0, WORDS, (count, LENGTH)),
        "numbers": rng.random((count, NUMBERS)).astype("float32"),
        "price": rng.random((count, 1)).astype("float32"),
        "stock": rng.random((count, 1)).astype("float32"),
    }


def data_generator(training, batch_size):
    data = articles(320 if training else 64, seed=int(training))
    position = 0
    while True:
        rows = slice(position, position + batch_size)
        position = (position + batch_size) % len(data["price"])
        yield (data["text"][rows], data["numbers"][rows]), (data["price"][rows], data["stock"][rows])


def build():
    text = Input((LENGTH,), name="text")
    numbers = Input((NUMBERS,), name="numbers")
    words = GlobalAveragePooling1D()(Embedding(WORDS, 8)(text))
    joined = Concatenate()([words, Dense(8, activation="relu")(numbers)])
    hidden = Dense(16, activation="relu")(joined)
    price = Dense(1, name="price")(hidden)
    stock = Dense(1, name="stock")(hidden)
    return Model(inputs=[text, numbers], outputs=[price, stock])


if __name__ == "__main__":
    model = build()
    model.compile(optimizer="adam", loss=["mse", "mae"], loss_weights=[1.0, 0.3])
    model.fit(data_generator(True, BATCH), steps_per_epoch=10, epochs=1, verbose=0)
    print(model.evaluate(data_generator(False, BATCH), steps=2, verbose=0))
