import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

SIDE = 32


def digits(count, seed=38):
    draw = np.random.default_rng(seed)
    pictures = draw.integers(0, 255, (count, 28, 28)).astype("float32")
    return pictures, draw.integers(0, 10, count)


def prepare(pictures):
    """Scales to the range of the network and enlarges to its size."""
    pictures = pictures[..., None] / 127.5 - 1.0  # <- cause
    return np.pad(pictures, ((0, 0), (2, 2), (2, 2), (0, 0)))


def transfer_model(classes):
    base = keras.applications.MobileNetV2(
        input_shape=(SIDE, SIDE, 3), alpha=0.35, include_top=False, weights=None, pooling="avg"
    )
    base.trainable = False
    inputs = keras.Input((SIDE, SIDE, 3))
    return keras.Model(inputs, keras.layers.Dense(classes, activation="softmax")(base(inputs, training=False)))


def main():
    pictures, labels = digits(64)
    model = transfer_model(10)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(prepare(pictures), labels, batch_size=16, epochs=1, verbose=2)  # <- cause


main()
