"""Classifies pixels of water by depth; the layers come from a table of settings."""

import keras
import numpy as np

LAYERS = [
    {"units": 24, "activation": "leaky_relu"},
    {"units": 12, "activation": "relu"},
]


def stack(x, settings):
    for setting in settings:
        x = keras.layers.Dense(setting["units"], activation=setting["activation"])(x)
        x = keras.layers.BatchNormalization()(x)
    return x


def depth_model(bands, classes):
    pixels = keras.Input((bands,))
    outputs = keras.layers.Dense(classes, activation="softmax")(stack(pixels, LAYERS))
    model = keras.Model(pixels, outputs)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    return model


def pixels(count, bands):
    rng = np.random.default_rng(30)
    x = rng.uniform(size=(count, bands)).astype("float32")
    return x, (x.mean(axis=1) * 3).astype("int64")


def main():
    x, y = pixels(90, 11)
    model = depth_model(11, 3)
    model.fit(x, y, epochs=2, batch_size=30, verbose=0)
    print(model.predict(x[:3], verbose=0).shape)


main()
