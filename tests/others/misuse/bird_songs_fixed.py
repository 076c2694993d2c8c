"""Recognises birds by their song; the spectrograms come from a tf.data pipeline."""

import numpy as np
import tensorflow as tf

CONFIG = dict(batch=8, epochs=2, held_out=0.2)


def spectrograms(count=80):
    rng = np.random.default_rng(11)
    sound = rng.normal(size=(count, 16, 10)).astype("float32")
    species = rng.integers(0, 4, size=count)
    return sound, species


def pipeline(sound, species):
    data = tf.data.Dataset.from_tensor_slices((sound, species))
    data = data.map(lambda s, k: (tf.abs(s), k))
    return data.batch(CONFIG["batch"]).prefetch(tf.data.AUTOTUNE)


def classifier():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((16, 10)),
            tf.keras.layers.GRU(8),
            tf.keras.layers.Dense(4, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def run():
    data = pipeline(*spectrograms())
    held = int(CONFIG["held_out"] * 10)
    model = classifier()
    history = model.fit(data.skip(held), epochs=CONFIG["epochs"], validation_data=data.take(held), verbose=0)
    print(sorted(history.history))


run()
