import tf_keras as keras
from tf_keras import layers

import settings as cfg


def build_reader():
    pen = keras.Input((cfg.FRAMES, cfg.CHANNELS), name="pen")
    h = layers.Conv1D(24, 5, padding="same", activation="relu")(pen)
    h = layers.MaxPooling1D(cfg.POOL)(h)
    h = layers.Conv1D(32, 3, padding="same", activation="relu")(h)
    h = layers.MaxPooling1D(cfg.POOL)(h)
    h = layers.Bidirectional(layers.GRU(24, return_sequences=True))(h)
    probs = layers.Dense(len(cfg.ALPHABET) + 1, activation="softmax")(h)
    return keras.Model(pen, probs)
