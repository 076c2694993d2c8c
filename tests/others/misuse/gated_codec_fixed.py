"""Image codec whose bottleneck is scaled by a gate that comes in from outside."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

SIDE = 16
SAMPLES = 48
tf.random.set_seed(5)
rng = np.random.default_rng(5)


def make_pictures(count):
    rows = np.linspace(0.0, 1.0, SIDE)[None, :, None, None]
    tint = rng.random((count, 1, 1, 3))
    noise = 0.05 * rng.random((count, SIDE, SIDE, 3))
    return (rows * tint + noise).astype("float32")


def conv(filters, name):
    return layers.Conv2D(filters, 3, padding="same", activation="relu", name=name)


def build_codec():
    picture = keras.Input(shape=(SIDE, SIDE, 3), name="picture")
    gate = keras.Input(shape=(1, 1, 1), name="gate")

    features = conv(8, "enc_a")(picture)
    open_part = layers.Multiply(name="open_part")([features, gate])
    closed_part = layers.Subtract(name="closed_part")([features, open_part])

    fine = layers.MaxPooling2D(2)(open_part)
    fine = conv(8, "enc_fine")(fine)
    coarse = layers.MaxPooling2D(2)(closed_part)
    coarse = conv(4, "enc_coarse")(coarse)

    code = layers.Concatenate(name="code")([fine, coarse])
    x = layers.UpSampling2D(2)(code)
    x = conv(8, "dec_a")(x)
    restored = layers.Conv2D(3, 3, padding="same", activation="sigmoid", name="restored")(x)
    return keras.Model([picture, gate], restored, name="gated_codec")


pictures = make_pictures(SAMPLES)
gates = np.full((SAMPLES, 1, 1, 1), 0.3, dtype="float32")

codec = build_codec()
codec.compile(optimizer="adam", loss="mse")
codec.summary()

feed = {"picture": pictures, "gate": gates}
history = codec.fit(feed, pictures, batch_size=12, epochs=2, verbose=0)
print("reconstruction error:", round(history.history["loss"][-1], 4))

sample = codec.predict({"picture": pictures[:2], "gate": gates[:2]}, verbose=0)
print("restored batch", sample.shape)
