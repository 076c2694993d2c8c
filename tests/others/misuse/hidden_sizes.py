"""Tries random sizes of three hidden layers for small pictures of gestures and prints the accuracy of each."""
import random

import numpy as np
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, Input, MaxPooling2D
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import to_categorical

CLASSES = 4
TRIALS = 3
random.seed(11)


def load_pictures(n=160):
    rng = np.random.default_rng(8)
    labels = rng.integers(0, CLASSES, n)
    pictures = rng.random((n, 20, 20, 1)).astype("float32") * 0.4
    for i, label in enumerate(labels):
        pictures[i, label * 5:label * 5 + 5] += 0.5
    return pictures, to_categorical(labels, CLASSES)


img_data, Y = load_pictures()
cut = int(0.9 * len(img_data))
X_train, X_test = img_data[:cut], img_data[cut:]
y_train, y_test = Y[:cut], Y[cut:]

results = []
for trial in range(TRIALS):
    rand_layer_1 = random.randint(8, 32)
    rand_layer_2 = random.randint(8, 32)
    rand_layer_3 = random.randint(8, 32)

    model = Sequential()
    model.add(Input(img_data[0].shape))
    model.add(Conv2D(8, (3, 3), activation="relu"))
    model.add(MaxPooling2D(pool_size=(2, 2)))
    model.add(Flatten())
    model.add(Dense(rand_layer_1, activation="relu"))
    model.add(Dense(rand_layer_2, activation="relu"))
    model.add(Dropout(0.2))
    model.add(Dense(rand_layer_3, activation="relu"))
    model.add(Dense(CLASSES, activation="softmax"))
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])

    scores = model.fit(X_train, y_train, batch_size=16, epochs=2, verbose=2, validation_data=(X_test, y_test))  # <- cause
    print("HU-1: {0}; HU-2: {1}; HU-3: {2}; ==> Acc: {3}".format(
        rand_layer_1, rand_layer_2, rand_layer_3, "%.2f%%" % (scores[1] * 100)))
    results.append((scores[1], rand_layer_1, rand_layer_2, rand_layer_3))

print("best:", max(results))
