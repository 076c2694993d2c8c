import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

FRAME_LEN = 24
N_BANDS = 6
MODEL_FILE = "denoiser.keras"


@keras.utils.register_keras_serializable(package="audio")
class BoundedWeights(keras.constraints.Constraint):
    """Keeps every weight inside [-limit, limit]."""

    def __init__(self, limit=0.5, **kwargs):
        self.limit = limit

    def __call__(self, w):
        return tf.clip_by_value(w, -self.limit, self.limit)

    def get_config(self):
        return {"name": self.__class__.__name__, "limit": self.limit}


def band_loss(y_true, y_pred):
    return tf.reduce_mean(tf.square(tf.sqrt(y_pred + 1e-6) - tf.sqrt(y_true + 1e-6)), axis=-1)


def build_model():
    bound = BoundedWeights(0.499)
    frames = keras.Input(shape=(FRAME_LEN, N_BANDS), name="bands")
    x = layers.Dense(16, activation="tanh", kernel_constraint=bound, bias_constraint=bound)(frames)
    x = layers.GRU(12, return_sequences=True, kernel_constraint=bound)(x)
    gains = layers.Dense(N_BANDS, activation="sigmoid", kernel_constraint=bound)(x)
    model = keras.Model(frames, gains, name="denoiser")
    model.compile(optimizer="adam", loss=band_loss)
    return model


def synthetic_noise(count, seed):
    rng = np.random.default_rng(seed)
    clean = np.abs(rng.normal(size=(count, FRAME_LEN, N_BANDS)))
    noise = 0.6 * np.abs(rng.normal(size=clean.shape))
    gains = clean / (clean + noise)
    return (clean + noise).astype("float32"), gains.astype("float32")


noisy, target = synthetic_noise(64, seed=3)
model = build_model()
model.fit(noisy, target, epochs=1, batch_size=16, verbose=0)
model.save(MODEL_FILE)
print("saved", MODEL_FILE, os.path.getsize(MODEL_FILE), "bytes")

restored = keras.models.load_model(
    MODEL_FILE,
    custom_objects={"BoundedWeights": BoundedWeights, "band_loss": band_loss},
)
probe, _ = synthetic_noise(4, seed=11)
difference = np.abs(restored.predict(probe, verbose=0) - model.predict(probe, verbose=0)).max()
print("largest difference after reload:", float(difference))
