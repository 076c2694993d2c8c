"""Shows what an inner layer of a retrained network sees."""

import keras
import numpy as np

SHAPE = (16, 16, 3)


def backbone():
    inputs = keras.Input(SHAPE)
    x = keras.layers.Conv2D(4, 3, activation="relu", name="low")(inputs)
    x = keras.layers.Conv2D(8, 3, activation="relu", name="high")(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, x, name="backbone")


def classifier(base):
    base.trainable = False
    return keras.Sequential(
        [
            keras.Input(SHAPE),
            base,
            keras.layers.Dense(16, activation="relu"),
            keras.layers.Dense(3, activation="softmax"),
        ]
    )


class Viewer:
    def __init__(self, model, inner, layer):
        base = model.get_layer(inner)
        self.maps = keras.Model(inputs=model.inputs, outputs=base.get_layer(layer).output)  # <- cause

    def show(self, pictures):
        return self.maps.predict(pictures, verbose=0).mean(axis=(1, 2))


def main():
    rng = np.random.default_rng(6)
    x = rng.uniform(size=(30, *SHAPE)).astype("float32")
    y = rng.integers(0, 3, 30)
    model = classifier(backbone())
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x, y, verbose=0)
    print(Viewer(model, "backbone", "high").show(x[:2]).shape)


main()
