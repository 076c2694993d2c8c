import os

import numpy as np
import tensorflow as tf

from caps import caps
from labels import number_species, save_labels


def train(folder):
    x, names = caps(400, seed=1)
    labels = number_species(names)
    number_of = {name: i for i, name in labels.items()}
    y = np.array([number_of[n] for n in names])
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((x.shape[1],)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(len(labels), activation="softmax"),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy")
    model.fit(x, y, epochs=5, verbose=2)
    model.save(os.path.join(folder, "caps.keras"))
    save_labels(labels, os.path.join(folder, "labels.json"))
