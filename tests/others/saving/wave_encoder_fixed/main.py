import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

from encoding import SinePositions, build_tagger

VOCAB = 40
LENGTH = 10
MODEL_FILE = "tagger.h5"


def make_sentences(n):
    rng = np.random.default_rng(9)
    tokens = rng.integers(1, VOCAB, size=(n, LENGTH))
    tags = (tokens + np.arange(LENGTH)) % 2
    return tokens.astype("int32"), tags.astype("int32")


def describe(layer):
    if isinstance(layer, SinePositions):
        return "%s (wavelength %.0f)" % (layer.name, layer.max_wavelength)
    return layer.name


def train(tokens, tags):
    model = build_tagger(VOCAB, LENGTH)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(tokens, tags, epochs=2, batch_size=32, verbose=2)
    print("layers:", [describe(layer) for layer in model.layers])
    model.save(MODEL_FILE)
    return model.evaluate(tokens, tags, verbose=0)[1]


def evaluate_saved(tokens, tags):
    model = tf.keras.models.load_model(
        MODEL_FILE, custom_objects={"SinePositions": SinePositions}
    )
    return model.evaluate(tokens, tags, verbose=0)[1]


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(9)
    tokens, tags = make_sentences(400)
    before = train(tokens, tags)
    after = evaluate_saved(tokens, tags)
    print("accuracy before saving %.3f, after loading %.3f" % (before, after))
