"""Train a syllable classifier and read single test pictures."""
import os
import struct

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

SYLLABLES = ["ga", "na", "da", "ra"]
SIDE = 32


def glyph(index, rng):
    img = rng.integers(200, 255, (SIDE, SIDE, 3))
    img[4 + 6 * index:9 + 6 * index, 6:26] = 10
    return img.astype("uint8")


def write_picture(path, pixels):
    h, w, c = pixels.shape
    with open(path, "wb") as f:
        f.write(struct.pack("<3H", h, w, c))
        f.write(pixels.tobytes())


def read_picture(path):
    with open(path, "rb") as f:
        h, w, c = struct.unpack("<3H", f.read(6))
        return np.frombuffer(f.read(), dtype="uint8").reshape(h, w, c)


def training_set(n=120, seed=12):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(SYLLABLES), n)
    images = np.stack([glyph(int(k), rng) for k in labels]) / 255.0
    return images.astype("float32"), labels


def make_test_pictures(folder, seed=77):
    rng = np.random.default_rng(seed)
    os.makedirs(folder, exist_ok=True)
    paths = []
    for i, name in enumerate(SYLLABLES):
        pixels = glyph(i, rng)
        if i == 2:
            alpha = np.full((SIDE, SIDE, 1), 255, dtype="uint8")
            pixels = np.concatenate([pixels, alpha], axis=-1)
        paths.append(os.path.join(folder, name + ".pic"))
        write_picture(paths[-1], pixels)
    return paths


def build_model():
    model = tf.keras.Sequential([
        layers.Input(shape=(SIDE, SIDE, 3)),
        layers.Conv2D(8, 5, strides=2, activation="relu"),
        layers.Flatten(),
        layers.Dense(len(SYLLABLES), activation="softmax"),
    ])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def test_image(model, path):
    picture = read_picture(path)
    array = picture[..., :3] / 255.0
    array = array.reshape(1, SIDE, SIDE, 3)
    probs = model.predict(array, verbose=0)[0]
    return SYLLABLES[int(probs.argmax())], float(probs.max())


def main():
    tf.keras.utils.set_random_seed(12)
    images, labels = training_set()
    model = build_model()
    model.fit(images, labels, epochs=3, batch_size=30, verbose=2)
    for path in make_test_pictures("test_pictures"):
        print(os.path.basename(path), test_image(model, path))


if __name__ == "__main__":
    main()
