import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

WINDOW = 64
BINS = WINDOW // 2 + 1


def make_recordings(count=240):
    rng = np.random.default_rng(7)
    t = np.arange(WINDOW) / WINDOW
    labels = rng.integers(0, 3, size=count)
    freq = np.array([4.0, 9.0, 15.0])[labels]
    phase = rng.uniform(0, 2 * np.pi, size=count)
    waves = np.sin(2 * np.pi * freq[:, None] * t[None, :] + phase[:, None])
    waves += rng.normal(scale=0.3, size=waves.shape)
    return waves.astype("float32"), labels.astype("int32")


def spectrum(wave):
    tapered = wave * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(tapered)) ** 2
    return np.log1p(power).astype("float32")


def prepare(wave, label):
    features = spectrum(wave.numpy())  # <- cause
    return features, label


def build_dataset(waves, labels, batch_size=32):
    ds = tf.data.Dataset.from_tensor_slices((waves, labels))
    for wave, label in ds.take(2):
        print("sample", wave.numpy().shape, "label", label.numpy())
    ds = ds.map(prepare, num_parallel_calls=2)  # <- cause
    return ds.shuffle(256, seed=1).batch(batch_size).prefetch(1)


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=(BINS,)),
            tf.keras.layers.Dense(24, activation="relu"),
            tf.keras.layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(7)
    waves, labels = make_recordings()
    train_ds = build_dataset(waves, labels)
    model = build_model()
    model.fit(train_ds, epochs=3, verbose=2)
