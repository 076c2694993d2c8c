"""A classifier of leaves."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

TRAIN, TEST, SIDE, BATCH = 960, 240, 32, 32


def leaves(count, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, count)
    pictures = rng.random((count, SIDE, SIDE, 3)).astype(np.float32)
    pictures[kinds == 1, :, :, 1] += 0.4
    return pictures, kinds.astype(np.float32)


def make_set(count, seed, augment):
    data = tf.data.Dataset.from_tensor_slices(leaves(count, seed))
    if augment:
        data = data.shuffle(count).map(lambda x, y: (tf.image.random_flip_left_right(x), y))
    return data.batch(BATCH)


def build_classifier():
    classifier = tf.keras.Sequential()
    classifier.add(layers.Input((SIDE, SIDE, 3)))
    classifier.add(layers.Conv2D(16, 3, activation="relu"))
    classifier.add(layers.MaxPooling2D())
    classifier.add(layers.Flatten())
    classifier.add(layers.Dense(32, activation="relu"))
    classifier.add(layers.Dense(1, activation="sigmoid"))
    classifier.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return classifier


training_set = make_set(TRAIN, 1, augment=True).repeat()
test_set = make_set(TEST, 2, augment=False)
classifier = build_classifier()
classifier.fit(
    training_set,
    steps_per_epoch=TRAIN // BATCH,
    epochs=5,
    validation_data=test_set,
    verbose=2,
)
print("accuracy", classifier.evaluate(test_set, verbose=0)[1])
