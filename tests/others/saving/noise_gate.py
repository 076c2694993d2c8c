import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, ops

MODEL_FILE = "noise_gate.h5"
FRAMES, BANDS = 12, 6


class WeightClip(tf.keras.constraints.Constraint):
    """Keeps every weight between -limit and limit."""

    def __init__(self, limit=2.0):  # <- cause
        self.limit = limit

    def __call__(self, p):
        return ops.clip(p, -self.limit, self.limit)

    def get_config(self):  # <- cause
        return {"name": self.__class__.__name__, "limit": self.limit}  # <- cause


def gain_loss(y_true, y_pred):
    return ops.mean(ops.square(ops.sqrt(y_pred + 1e-6) - ops.sqrt(y_true + 1e-6)))


def noisy_bands(n=200):
    rng = np.random.default_rng(37)
    speech = rng.uniform(0, 1, size=(n, FRAMES, BANDS))
    noise = rng.uniform(0, 0.5, size=(n, 1, BANDS))
    gain = speech / (speech + noise)
    return (speech + noise).astype("float32"), gain.astype("float32")


def build_model():
    clip = WeightClip(0.499)
    bands = layers.Input(shape=(FRAMES, BANDS))
    x = layers.Dense(12, activation="tanh", kernel_constraint=clip)(bands)
    x = layers.GRU(12, return_sequences=True, kernel_constraint=clip, recurrent_constraint=clip)(x)
    gains = layers.Dense(BANDS, activation="sigmoid", kernel_constraint=clip)(x)
    model = tf.keras.Model(bands, gains)
    model.compile(optimizer="adam", loss=gain_loss)
    return model


def main():
    tf.keras.utils.set_random_seed(37)
    x, y = noisy_bands()
    model = build_model()
    model.fit(x, y, epochs=2, batch_size=32, verbose=2)
    model.save(MODEL_FILE)

    known = {"WeightClip": WeightClip, "gain_loss": gain_loss}
    restored = tf.keras.models.load_model(MODEL_FILE, custom_objects=known)
    gap = np.abs(restored.predict(x, verbose=0) - model.predict(x, verbose=0)).max()
    print("largest difference after reload: %.6f" % gap)


if __name__ == "__main__":
    main()
