"""A vocabulary that is learnt from the texts, and a table with fewer rows."""

import keras
import tensorflow as tf

ROWS = 12
texts = tf.constant(["the wind and the rain", "a ship on a stormy sea", "they came home again before night"])
numbered = keras.layers.TextVectorization(output_sequence_length=6)
numbered.adapt(texts)
lines = tf.data.Dataset.from_tensor_slices((texts, [0.0, 1.0, 0.0])).batch(3)
lines = lines.map(lambda text, mood: (numbered(text), mood))
table = keras.layers.Embedding(ROWS, 4)  # <- cause
model = keras.Sequential([table, keras.layers.Flatten(), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(lines, verbose=0)
