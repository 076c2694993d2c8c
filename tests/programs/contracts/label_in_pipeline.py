"""One row of a shuffled pipeline has a class that a subclassed model does not have."""

import keras
import numpy as np
import tensorflow as tf


class Classifier(keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.hidden = keras.layers.Dense(16, activation="relu")
        self.out = keras.layers.Dense(classes)

    def call(self, inputs):
        return self.out(self.hidden(inputs))


def load():
    rng = np.random.default_rng(4)
    features = rng.normal(size=(500, 6)).astype("float32")
    species = rng.integers(0, 3, 500)
    species[421] = 3
    return features, species


features, species = load()
pipeline = tf.data.Dataset.from_tensor_slices((features, species)).shuffle(500, seed=1).batch(25).prefetch(2)
model = Classifier(3)
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(pipeline, epochs=2, verbose=0)  # <- cause
