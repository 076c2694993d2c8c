"""Photos read by Python code within a tf.data pipeline, for a network with several labels for each photo."""

import numpy as np
import tensorflow as tf

SIDE, LABELS = 20, 6
STORE = np.random.default_rng(13).integers(0, 255, (48, SIDE, SIDE, 3)).astype("float32")


def read_photo(number):
    number = int(number)
    photo = STORE[number] / 255.0
    tags = np.zeros(LABELS, "float32")
    tags[number % LABELS] = 1.0
    return photo, tags


def load(number):
    photo, tags = tf.py_function(read_photo, [number], [tf.float32, tf.float32])
    photo.set_shape((SIDE, SIDE, 3))
    tags.set_shape((LABELS,))
    return photo, tags


def dataset(numbers, batch_size):
    data = tf.data.Dataset.from_tensor_slices(numbers)
    return data.map(load).batch(batch_size).prefetch(1)


def network():
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Input((SIDE, SIDE, 3)))
    model.add(tf.keras.layers.Conv2D(8, 3, activation="relu"))
    model.add(tf.keras.layers.GlobalAveragePooling2D())
    model.add(tf.keras.layers.Dense(LABELS, activation="sigmoid"))
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    return model


def main():
    numbers = np.arange(len(STORE))
    history = network().fit(dataset(numbers, 8), epochs=1, verbose=0)
    print("loss", round(history.history["loss"][0], 3))


if __name__ == "__main__":
    main()
