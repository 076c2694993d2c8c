"""Colour photos lose their mean inside of the network, so that the camera can send them as they are."""
import keras
import numpy as np
from keras import ops
from keras.layers import Conv2D, Dense, GlobalAveragePooling2D, Input, Lambda

RGB_IMAGE_SHAPE = (40, 40, 3)


def build_lambda_layer():
    def f(rgb):  # <- cause
        rgb -= ops.mean(rgb, axis=(1, 2), keepdims=True)  # <- cause

    return Lambda(f, name="minus_mean")


def build_model(classes):
    rgb = Input(RGB_IMAGE_SHAPE)
    x = build_lambda_layer()(rgb)
    x = Conv2D(8, 3, strides=2, activation="relu")(x)
    x = Conv2D(16, 3, strides=2, activation="relu")(x)
    x = GlobalAveragePooling2D()(x)
    return keras.Model(rgb, Dense(classes, activation="softmax")(x))


def photos(count=90, classes=3):
    rng = np.random.default_rng(10)
    labels = rng.integers(0, classes, count)
    pictures = rng.uniform(0, 255, (count,) + RGB_IMAGE_SHAPE).astype("float32")
    for i, label in enumerate(labels):
        pictures[i, ::label + 1, :, label] *= 0.3
    return pictures, labels


if __name__ == "__main__":
    pictures, labels = photos()
    model = build_model(3)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(pictures, labels, epochs=3, batch_size=15, verbose=2)
    print("probabilities:", model.predict(pictures[:1], verbose=0).round(3))
