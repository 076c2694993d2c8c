"""Trains the top of a network on bottleneck features of fruit photos."""
import os

import numpy as np
from tensorflow.keras.layers import Dense, Dropout, Flatten, Input
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import to_categorical

CLASSES = ["apple", "cherry", "plum"]
FEATURE_SHAPE = (4, 4, 16)


def bottleneck_features(n=120, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(CLASSES), n)
    features = rng.random((n,) + FEATURE_SHAPE).astype("float32")
    features[np.arange(n), 0, 0, labels] += 2
    return features, to_categorical(labels, len(CLASSES))


def train_top_model(folder):
    features, labels = bottleneck_features()
    model = Sequential()
    model.add(Input(FEATURE_SHAPE))
    model.add(Flatten())
    model.add(Dense(32, activation="relu"))
    model.add(Dropout(0.5))
    model.add(Dense(len(CLASSES), activation="sigmoid"))
    model.compile(optimizer="rmsprop", loss="categorical_crossentropy", metrics=["accuracy"])
    model.fit(features, labels, epochs=3, batch_size=16, verbose=2)
    np.save(os.path.join(folder, "class_indices.npy"), {i: name for i, name in enumerate(CLASSES)})
    model.save_weights(os.path.join(folder, "bottleneck_fc_model.weights.h5"))
