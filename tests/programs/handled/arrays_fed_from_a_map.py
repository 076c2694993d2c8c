"""Training on a memory-mapped array through a generator and a Sequence-like data set that reads a batch at a time."""

import tempfile

import keras
import numpy as np
import tensorflow as tf

with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/images.dat"
    images = np.memmap(path, "uint8", "w+", shape=(2000, 32, 32, 3))
    images[:] = np.random.default_rng(20).integers(0, 255, images.shape, dtype="uint8")
    images.flush()
    del images
    images = np.memmap(path, "uint8", "r", shape=(2000, 32, 32, 3))

    def read():
        for begin in range(0, len(images), 50):
            part = np.asarray(images[begin : begin + 50], dtype="float32") / 255
            yield part, part.mean(axis=(1, 2, 3))[:, None]

    kinds = (tf.TensorSpec((None, 32, 32, 3), tf.float32), tf.TensorSpec((None, 1), tf.float32))
    data = tf.data.Dataset.from_generator(read, output_signature=kinds).prefetch(2)
    model = keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            keras.layers.Conv2D(4, 3, strides=4),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    model.fit(data, epochs=2, verbose=0)
    print("trained", np.isfinite(model.predict(images[:8].astype("float32"), verbose=0)).all())
    del images
