import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

OPTIONS = {"crop": 32, "batch": 8, "buffer": 1024, "steps": 10}


def photo_folder(where, count=60):
    """Large photographs of two classes, each in a folder of its own."""
    for number in range(count):
        folder = os.path.join(where, "cats" if number % 2 else "dogs")
        os.makedirs(folder, exist_ok=True)
        shade = np.uint8(number * 4)
        photo = np.full((1200, 1600, 3), shade, "uint8")
        tf.io.write_file(os.path.join(folder, f"{number:03}.png"), tf.io.encode_png(photo, compression=1))


def listing(where):
    paths, labels = [], []
    for label, folder in enumerate(sorted(os.listdir(where))):
        for name in sorted(os.listdir(os.path.join(where, folder))):
            paths.append(os.path.join(where, folder, name))
            labels.append(label)
    return paths, labels


def load(path, label):
    photo = tf.io.decode_png(tf.io.read_file(path), channels=3)
    return tf.cast(photo, tf.float32) / 255.0, label


def crop(photo, label):
    return tf.image.random_crop(photo, (OPTIONS["crop"], OPTIONS["crop"], 3)), label


def pipeline(where):
    data = tf.data.Dataset.from_tensor_slices(listing(where))
    data = data.shuffle(OPTIONS["buffer"], seed=1).map(load)
    return data.map(crop).repeat().batch(OPTIONS["batch"])


def model():
    return keras.Sequential(
        [
            keras.Input((OPTIONS["crop"], OPTIONS["crop"], 3)),
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


def main():
    with tempfile.TemporaryDirectory() as where:
        photo_folder(where)
        network = model()
        network.compile("adam", "binary_crossentropy")
        network.fit(pipeline(where), steps_per_epoch=OPTIONS["steps"], epochs=1, verbose=2)


main()
