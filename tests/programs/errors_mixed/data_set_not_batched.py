"""A data set that is shuffled and never batched."""

import keras
import numpy as np
import tensorflow as tf

pictures = np.zeros((24, 14, 14, 1), "float32")
kinds = np.arange(24) % 3
shuffled = tf.data.Dataset.from_tensor_slices((pictures, kinds)).shuffle(24)  # <- cause
model = keras.Sequential(
    [
        keras.Input((14, 14, 1)),
        keras.layers.Conv2D(4, 3),
        keras.layers.Flatten(),
        keras.layers.Dense(3, activation="softmax"),
    ]
)
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(shuffled, verbose=0)
