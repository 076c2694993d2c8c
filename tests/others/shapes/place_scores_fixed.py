"""A toy learning-to-rank net: three places per row, one shared score for each, and a softmax over the three
scores."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import Concatenate, Dense, Flatten, Input, Lambda
from tensorflow.keras.models import Model

PLACES = 3
FEATURES = 2


def ranking_model():
    rinputs = Input(shape=(PLACES, FEATURES), name="inputlayer")
    split = Lambda(lambda x: tf.split(x, num_or_size_splits=3, axis=1))(rinputs)
    first, second, third = split[0], split[1], split[2]

    score = Dense(1, name="score", activation="sigmoid")
    score_a = score(first)
    score_b = score(second)
    score_c = score(third)

    joined = Flatten()(Concatenate(name="scores")([score_a, score_b, score_c]))
    best = Dense(PLACES, activation="softmax", name="softmax", use_bias=False)(joined)
    model = Model(inputs=rinputs, outputs=best)
    model.compile(loss=keras.losses.categorical_crossentropy, optimizer=keras.optimizers.Adam(), metrics=["accuracy"])
    return model


def make_rows(count, rng):
    size = rng.integers(1, 9, size=(count, PLACES))
    baths = rng.integers(1, 4, size=(count, PLACES))
    rows = np.stack([size, baths], axis=-1).astype("float32")
    winner = np.argmax(size + 2 * baths, axis=1)
    return rows, keras.utils.to_categorical(winner, PLACES)


rng = np.random.default_rng(8)
inputs, ytrue = make_rows(96, rng)
print("rows", inputs.shape, "winners", ytrue.shape)

model = ranking_model()
model.fit(inputs, ytrue, epochs=2, verbose=0)
scores = model.predict(inputs[:4], verbose=0)
print("picked", scores.argmax(axis=-1).ravel())
