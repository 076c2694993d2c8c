"""Polarity of short reviews on top of a ready sentence encoder."""

import tensorflow as tf
from tensorflow.keras import layers  # <- cause

from encoder import SentenceEncoder

REVIEWS = ["a fine film", "dull and long", "loved every minute", "never again", "warm and funny", "a waste of time"]
POLARITY = [1, 0, 1, 0, 1, 0]

encoder_layer = SentenceEncoder(name="encoder")

model = tf.keras.Sequential(name="model_6")  # <- cause
model.add(encoder_layer)  # <- cause
model.add(layers.Dense(16, activation="relu"))
model.add(layers.Dense(1, activation="sigmoid"))

model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(tf.constant(REVIEWS), tf.constant(POLARITY), epochs=2, verbose=2)
