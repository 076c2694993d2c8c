import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

SETTINGS = dict(groups=4, filters=8, eps=1e-12, batch=8)  # <- cause


def normalised(x, filters):
    x = keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = GroupScale(SETTINGS["groups"], SETTINGS["eps"])(x)
    return keras.layers.Activation("relu")(x)


class GroupScale(keras.layers.Layer):
    """Group normalisation in the type that the layer computes in."""

    def __init__(self, groups, epsilon, **options):
        super().__init__(**options)
        self.groups = groups
        self.epsilon = epsilon

    def call(self, inputs):
        height, width, channels = inputs.shape[1:]
        parts = keras.ops.reshape(inputs, (-1, height * width, self.groups, channels // self.groups))
        mean = keras.ops.mean(parts, axis=(1, 3), keepdims=True)
        centred = parts - mean
        variance = keras.ops.mean(keras.ops.square(centred), axis=(1, 3), keepdims=True)
        scaled = centred / keras.ops.sqrt(variance + self.epsilon)  # <- cause
        return keras.ops.reshape(scaled, (-1, height, width, channels))


def classifier(side=16):
    inputs = keras.Input((side, side, 1))
    x = normalised(inputs, SETTINGS["filters"])
    x = normalised(x, SETTINGS["filters"] * 2)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid", dtype="float32")(x))


def scans(count=96, side=16, seed=22586):
    draw = np.random.default_rng(seed)
    pictures = draw.random((count, side, side, 1)).astype("float32")
    pictures[41] = 0.0
    return pictures, (pictures.mean(axis=(1, 2)) > 0.5).astype("float32")


def main():
    keras.utils.set_random_seed(5)
    keras.mixed_precision.set_global_policy("mixed_float16")
    x, y = scans()
    model = classifier()
    model.compile(keras.optimizers.SGD(0.01), "binary_crossentropy")
    model.fit(x, y, batch_size=SETTINGS["batch"], epochs=2, shuffle=False, verbose=2)
    print("blank scan", model.predict(x[41:42], verbose=0))


main()
