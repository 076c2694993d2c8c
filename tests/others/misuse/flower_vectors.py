"""Takes features of flower pictures out of a trained network."""

import json

import keras
import numpy as np

CONFIG = json.loads('{"model": "small", "classes": 3, "side": 12, "feature_layer": "custom"}')  # <- cause


def base_network(side, classes):
    inputs = keras.Input((side, side, 3))
    x = keras.layers.Conv2D(6, 3, activation="relu", name="block1_conv")(inputs)
    x = keras.layers.MaxPooling2D(name="block1_pool")(x)
    x = keras.layers.Flatten(name="flatten")(x)
    x = keras.layers.Dense(20, activation="relu", name="fc1")(x)
    outputs = keras.layers.Dense(classes, activation="softmax", name="predictions")(x)
    return keras.Model(inputs, outputs)


def extractor(config):
    base = base_network(config["side"], config["classes"])
    if config["model"] == "small":
        layer = base.get_layer(config["feature_layer"])  # <- cause
        return keras.Model(inputs=base.input, outputs=layer.output)
    return base


def features(model, pictures):
    rows = []
    for picture in pictures:
        rows.append(model.predict(picture[np.newaxis], verbose=0).flatten())
    return np.array(rows)


rng = np.random.default_rng(9)
flowers = rng.uniform(size=(4, CONFIG["side"], CONFIG["side"], 3)).astype("float32")
print(features(extractor(CONFIG), flowers).shape)
