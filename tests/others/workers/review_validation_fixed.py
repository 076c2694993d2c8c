import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

VOCABULARY, LENGTH, BATCH = 500, 24, 16


class Reviews:
    """Batches of reviews: one pass by iterating, for ever by `for_fit`."""

    def __init__(self, count, seed):
        draw = np.random.default_rng(seed)
        self.tokens = draw.integers(1, VOCABULARY, (count, LENGTH))
        self.labels = (self.tokens[:, 0] % 2).astype("float32")

    def __len__(self):
        return -(-len(self.labels) // BATCH)

    def __iter__(self):
        for number in range(len(self)):
            rows = slice(number * BATCH, (number + 1) * BATCH)
            yield self.tokens[rows], self.labels[rows]

    def for_fit(self):
        while True:
            yield from self


def classifier():
    network = keras.Sequential(
        [
            keras.Input((LENGTH,)),
            keras.layers.Embedding(VOCABULARY, 8),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    network.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return network


def main():
    train, valid = Reviews(200, 1), Reviews(60, 2)
    network = classifier()
    history = network.fit(
        train.for_fit(),
        steps_per_epoch=len(train),
        epochs=3,
        validation_data=valid.for_fit(),
        validation_steps=len(valid),
        verbose=2,
    )
    print(history.history["val_accuracy"][-1])


main()
