"""A cache of a generator, whose length TensorFlow does not know, fills over the first epoch and fits."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf


def pictures():
    rng = np.random.default_rng(0)
    for number in range(400):
        yield rng.random((192, 192, 6), dtype="float32"), number % 2


spec = (tf.TensorSpec((192, 192, 6), tf.float32), tf.TensorSpec((), tf.int64))
data = tf.data.Dataset.from_generator(pictures, output_signature=spec).cache().batch(8)
model = keras.Sequential([keras.Input((192, 192, 6)), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, epochs=1, verbose=0)
print("trained")
