"""Keras 2: one-hot rows for the loss that wants class numbers; it fails as an op of the traced step."""

import numpy as np
import tf_keras

kinds = np.eye(4)[np.arange(40) % 4]
model = tf_keras.Sequential([tf_keras.layers.Input((6,)), tf_keras.layers.Dense(4, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")  # <- cause
model.fit(np.random.rand(40, 6), kinds, verbose=0)
