"""Compare two convolutional backbones with the same classification head."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.models import Model

SIDE = 24
CLASSES = 4


def load_images(n=80, seed=13):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, n)
    images = rng.uniform(0, 0.4, (n, SIDE, SIDE, 3)).astype("float32")
    for i, k in enumerate(labels):
        r, c = divmod(int(k), 2)
        images[i, r * 12:r * 12 + 12, c * 12:c * 12 + 12] += 0.6
    return images, labels


def plain_backbone():
    inp = layers.Input(shape=(SIDE, SIDE, 3))
    x = layers.Conv2D(8, 3, activation="relu", padding="same")(inp)
    x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(16, 3, activation="relu", padding="same")(x)
    x = layers.MaxPooling2D()(x)
    return Model(inp, x, name="plain")


def residual_backbone():
    inp = layers.Input(shape=(SIDE, SIDE, 3))
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(inp)
    y = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    x = layers.Add()([x, y])
    x = layers.MaxPooling2D(4)(x)
    return Model(inp, x, name="residual")


def add_head(features, units=16):
    x = layers.GlobalAveragePooling2D()(features)
    x = layers.Dense(units, activation="relu")(x)
    return layers.Dense(CLASSES, activation="softmax")(x)


def train(model, images, labels):
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(images, labels, epochs=2, batch_size=20, verbose=0)
    return history.history["accuracy"][-1]


def main():
    tf.keras.utils.set_random_seed(13)
    images, labels = load_images()

    vgg = plain_backbone()
    for layer in vgg.layers:
        layer.trainable = False
    preds = add_head(vgg.output)
    model = Model(inputs=vgg.input, outputs=preds)
    print("plain    accuracy %.3f" % train(model, images, labels))

    base_model = residual_backbone()
    for layer in base_model.layers:
        layer.trainable = False
    preds = add_head(base_model.output, units=32)
    model = Model(inputs=vgg.input, outputs=preds)  # <- cause
    print("residual accuracy %.3f" % train(model, images, labels))


if __name__ == "__main__":
    main()
