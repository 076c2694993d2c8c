import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

RATE = 800
SECONDS = 1


class ClipStore:
    """Synthetic under-water clips: whistle (1) or background (0)."""

    def __init__(self, n, seed=5):
        rng = np.random.default_rng(seed)
        t = np.arange(RATE * SECONDS) / RATE
        self.labels = rng.integers(0, 2, n).astype("int64")
        noise = rng.normal(0, 0.4, (n, t.size))
        tone = np.sin(2 * np.pi * rng.uniform(60, 120, (n, 1)) * t)
        self.clips = (noise + self.labels[:, None] * tone).astype("float32")


def to_spectrum(clip):
    frames = tf.signal.stft(clip, frame_length=128, frame_step=64)
    return tf.math.log(tf.abs(frames) + 1e-3)


def to_bands(spectrum):
    low = tf.reduce_mean(spectrum[:, :16], axis=1)
    mid = tf.reduce_mean(spectrum[:, 16:40], axis=1)
    high = tf.reduce_mean(spectrum[:, 40:], axis=1)
    return tf.stack([low, mid, high], axis=-1)


def pipeline(store, folder, batch):
    clips = tf.data.Dataset.from_tensor_slices(store.clips)
    labels = tf.data.Dataset.from_tensor_slices(store.labels)
    spectra = clips.map(to_spectrum)
    bands = spectra.map(to_bands)
    features = tf.data.Dataset.zip((spectra, bands))
    ds = tf.data.Dataset.zip((features, labels)).cache(os.path.join(folder, "spectra"))
    return ds.batch(batch).prefetch(tf.data.AUTOTUNE)


def two_branch(spec_shape, band_shape):
    a = keras.Input(spec_shape)
    b = keras.Input(band_shape)
    ha = keras.layers.GRU(12)(a)
    hb = keras.layers.GRU(6)(b)
    h = keras.layers.concatenate([ha, hb])
    return keras.Model((a, b), keras.layers.Dense(1, activation="sigmoid")(h))


def main():
    store = ClipStore(96)
    with tempfile.TemporaryDirectory() as folder:
        train = pipeline(store, folder, batch=16)
        (spec, band), _ = train.element_spec
        model = two_branch(spec.shape[1:], band.shape[1:])
        model.compile(optimizer="adam", loss="binary_crossentropy")
        model.fit(train, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
