"""Texts for a model that takes texts, and numbers as labels."""

import keras
import numpy as np
import tensorflow as tf

texts = ["good film", "bad film", "awful", "great one"] * 10
labels = [1.0, 0.0, 0.0, 1.0] * 10
words = keras.layers.TextVectorization(max_tokens=20, output_sequence_length=4)
words.adapt(texts)
model = keras.Sequential([words, keras.layers.Embedding(20, 4), keras.layers.Flatten(), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(tf.constant(texts), np.array(labels), verbose=0)
