"""Recognises weeds: a small head on the features of a fixed convolutional base."""

import numpy as np
from tensorflow.keras import layers, models

SIDE = 30


def make_base():
    base = models.Sequential(name="base")
    base.add(layers.Input((SIDE, SIDE, 3)))
    base.add(layers.Conv2D(8, 3, activation="relu"))
    base.add(layers.MaxPooling2D(4))
    base.add(layers.Conv2D(16, 3, activation="relu"))
    base.trainable = False
    return base


def features_of(base, pictures):
    features = base.predict(pictures, verbose=0)
    return features.reshape(len(pictures), -1)


rng = np.random.default_rng(2)
pictures = rng.random((60, SIDE, SIDE, 3)).astype("float32")
kinds = rng.integers(0, 3, 60)
base = make_base()
features = features_of(base, pictures)

model = models.Sequential()
model.add(layers.Dense(32, activation="relu", input_dim=features.shape[1]))
model.add(layers.Dropout(0.5))
model.add(layers.Dense(3, activation="softmax"))
model.compile(optimizer="rmsprop", loss="sparse_categorical_crossentropy", metrics=["acc"])
model.fit(features, kinds, epochs=1, verbose=0)

shot = rng.random((SIDE, SIDE, 3)).astype("float32")
x = features_of(base, np.expand_dims(shot, axis=0))
result = model.predict(x, verbose=0)[0]
print("seen", ["cat", "dog", "other"][result.argmax()])
