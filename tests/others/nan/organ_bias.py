import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
from tensorflow import keras

hparams = {"classes": 6, "size": 12, "filters": 8, "biased_output_layer": True, "epochs": 2}


def load_slices(count=64, seed=24):
    draw = np.random.default_rng(seed)
    slices = draw.normal(size=(count, hparams["size"], hparams["size"], 1)).astype("float32")
    organs = draw.integers(0, hparams["classes"], slices.shape[:3])
    organs[organs == 4] = 0
    return slices, organs


def class_counts(organs, classes, sample=10):
    counts = np.zeros(classes)
    for one in organs[:sample]:
        counts += np.bincount(one.ravel(), minlength=classes)
    return counts


def set_bias_weights(layer, counts):
    frequency = counts / counts.sum()
    bias = np.log(frequency * np.sum(np.exp(frequency)))  # <- cause
    bias /= np.linalg.norm(bias)
    kernel = layer.get_weights()[0]
    layer.set_weights([kernel, bias.astype("float32")])


def build_unet():
    inputs = keras.Input((hparams["size"], hparams["size"], 1))
    down = keras.layers.Conv2D(hparams["filters"], 3, padding="same", activation="relu")(inputs)
    low = keras.layers.MaxPooling2D()(down)
    low = keras.layers.Conv2D(2 * hparams["filters"], 3, padding="same", activation="relu")(low)
    up = keras.layers.UpSampling2D()(low)
    joined = keras.layers.Concatenate()([up, down])
    outputs = keras.layers.Conv2D(hparams["classes"], 1, activation="softmax", name="organs")(joined)
    return keras.Model(inputs, outputs)


def main():
    keras.utils.set_random_seed(6)
    slices, organs = load_slices()
    model = build_unet()
    if hparams["biased_output_layer"]:
        set_bias_weights(model.get_layer("organs"), class_counts(organs, hparams["classes"]))
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(slices, organs, batch_size=8, epochs=hparams["epochs"], verbose=2)


if __name__ == "__main__":
    main()
