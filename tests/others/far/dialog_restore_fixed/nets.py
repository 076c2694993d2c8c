import numpy as np
import tensorflow as tf

STEPS = 6
VOCAB = 15


def build_copier(units=24):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=(STEPS,), dtype="int32"),
            tf.keras.layers.Embedding(VOCAB, 8),
            tf.keras.layers.GRU(units),
            tf.keras.layers.RepeatVector(STEPS),
            tf.keras.layers.GRU(units, return_sequences=True),
            tf.keras.layers.Dense(VOCAB, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def random_phrases(n, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(1, VOCAB, size=(n, STEPS)).astype("int32")


def save(model, path):
    model.save_weights(path)


def restore(path):
    model = build_copier()
    model.load_weights(path)
    return model
