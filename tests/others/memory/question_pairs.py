import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

WORDS, LENGTH, BATCH, CODE = 2000, 20, 256, 512


class PairData:
    """Batches of pairs of questions, for training and for the test."""

    def __init__(self, pairs, seed=2):
        draw = np.random.default_rng(seed)
        self.first = draw.integers(1, WORDS, (pairs, LENGTH))
        self.second = draw.integers(1, WORDS, (pairs, LENGTH))
        self.same = draw.integers(0, 2, pairs).astype("float32")

    def training(self):
        while True:
            for start in range(0, len(self.same), BATCH):
                rows = slice(start, start + BATCH)
                yield (self.first[rows], self.second[rows]), self.same[rows]

    def test(self):
        while True:  # <- cause
            for start in range(0, len(self.same), BATCH):
                rows = slice(start, start + BATCH)
                yield ((self.first[rows], self.second[rows]),)


def encoder():
    return keras.Sequential(
        [keras.layers.Embedding(WORDS, 32), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(CODE)]
    )


def pair_model():
    first, second = keras.Input((LENGTH,), dtype="int32"), keras.Input((LENGTH,), dtype="int32")
    encode = encoder()
    joined = keras.layers.Concatenate(name="codes")([encode(first), encode(second)])
    same = keras.layers.Dense(1, activation="sigmoid", name="same")(joined)
    return keras.Model([first, second], same), keras.Model([first, second], [same, joined])


def main():
    data = PairData(4000)
    network, with_codes = pair_model()
    network.compile("adam", "binary_crossentropy")
    network.fit(data.training(), steps_per_epoch=15, epochs=1, verbose=2)
    print("test", flush=True)
    same, codes = with_codes.predict(data.test(), verbose=0)  # <- cause
    print("alike", (same > 0.5).sum(), "codes", codes.shape)


main()
