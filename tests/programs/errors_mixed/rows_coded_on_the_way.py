"""Labels that a function of the pipeline makes one-hot, and a loss for class numbers."""

import keras
import tensorflow as tf

KINDS = 4


def coded(sample, kind):
    return sample / 255.0, tf.one_hot(kind, KINDS)


samples = tf.zeros((16, 6))
pairs = tf.data.Dataset.from_tensor_slices((samples, tf.range(16) % KINDS)).map(coded).batch(8)
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(KINDS, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")  # <- cause
model.fit(pairs, verbose=0)
