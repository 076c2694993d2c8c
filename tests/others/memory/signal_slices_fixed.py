import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

SIGNALS, SIDE, BATCH = 600, 500, 16


def signals(seed=3):
    draw = np.random.default_rng(seed)
    pictures = np.empty((SIGNALS, SIDE, SIDE, 1), "float32")
    for picture in pictures:
        picture[...] = draw.uniform()
    return pictures, draw.integers(0, 2, SIGNALS).astype("float32")


def model():
    network = keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 1)),
            keras.layers.Conv2D(2, 7, strides=6, activation="relu"),
            keras.layers.GlobalMaxPooling2D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    network.compile("adam", "binary_crossentropy")
    return network


def pipeline(pictures, labels):
    signature = (tf.TensorSpec((SIDE, SIDE, 1), tf.float32), tf.TensorSpec((), tf.float32))
    data = tf.data.Dataset.from_generator(lambda: zip(pictures, labels), output_signature=signature)
    return data.shuffle(32).batch(BATCH)


def main():
    pictures, labels = signals()
    limit = int(0.8 * len(labels))
    train = pipeline(pictures[:limit], labels[:limit])
    test = pipeline(pictures[limit:], labels[limit:])
    network = model()
    network.fit(train, validation_data=test, epochs=1, verbose=2)


main()
