import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf


def save_scans(folder, count):
    rng = np.random.default_rng(9)
    os.makedirs(folder, exist_ok=True)
    for k in range(count):
        h, w = rng.integers(30, 60, size=2)
        page = rng.integers(0, 256, size=(h, w, 3), dtype="uint8")
        if k % 2:
            blob = tf.io.encode_png(page)
            ext = "png"
        else:
            blob = tf.io.encode_jpeg(page)
            ext = "jpg"
        tf.io.write_file(os.path.join(folder, f"scan{k:02d}.{ext}"), blob)


def load_scan(path, size):
    encoded = tf.io.read_file(path)
    page = tf.image.decode_image(encoded, channels=3)  # <- cause
    page = tf.image.resize(page, size)  # <- cause
    return page / 255.0


def make_dataset(folder, size, batch_size):
    files = tf.data.Dataset.list_files(os.path.join(folder, "scan*"), shuffle=False)
    pages = files.map(lambda p: load_scan(p, size), num_parallel_calls=2)
    return pages.batch(batch_size)


def build_autoencoder(size):
    inp = tf.keras.Input(shape=(*size, 3))
    x = tf.keras.layers.Conv2D(6, 3, strides=2, padding="same", activation="relu")(inp)
    x = tf.keras.layers.UpSampling2D()(x)
    out = tf.keras.layers.Conv2D(3, 3, padding="same", activation="sigmoid")(x)
    model = tf.keras.Model(inp, out)
    model.compile(optimizer="adam", loss="mse")
    return model


def main():
    size = (32, 32)
    save_scans("scans", 12)
    pages = make_dataset("scans", size, batch_size=4)
    pairs = pages.map(lambda p: (p, p))
    model = build_autoencoder(size)
    history = model.fit(pairs, epochs=2, verbose=0)
    print("reconstruction loss:", [round(v, 4) for v in history.history["loss"]])


if __name__ == "__main__":
    main()
