"""Do a picture and a caption belong together? Two encoders and a classifier."""

import keras
import numpy as np
from keras.layers import Dense, Dropout, Embedding, Flatten, GlobalAveragePooling1D, Input, concatenate


def build_picture_encoder(side):
    entry = Input((side, side, 1))
    return keras.Model(entry, Dense(12, activation="relu")(Flatten()(entry)))


def build_word_encoder(length, words):
    entry = Input((length,))
    return keras.Model(entry, GlobalAveragePooling1D()(Embedding(words, 6)(entry)))


def merged_model(side, length, words):
    pictures = build_picture_encoder(side)
    captions = build_word_encoder(length, words)
    merged = concatenate([pictures, captions], axis=1)  # <- cause
    x = Dense(16, activation="relu", name="first")(merged)
    x = Dropout(0.2)(x)
    outputs = Dense(1, activation="sigmoid")(x)
    model = keras.Model([pictures.input, captions.input], outputs)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def pairs(count):
    rng = np.random.default_rng(2)
    pictures = rng.uniform(size=(count, 6, 6, 1)).astype("float32")
    captions = rng.integers(0, 30, size=(count, 4))
    return [pictures, captions], rng.integers(0, 2, count).astype("float32")


x, y = pairs(24)
model = merged_model(6, 4, 30)
model.fit(x, y, epochs=1, verbose=0)
print(model.count_params() > 0)
