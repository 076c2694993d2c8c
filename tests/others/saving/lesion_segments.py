"""Segmentation network with attention on top of a backbone whose weights were trained before."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

SIDE = 24


def backbone(image):
    x = layers.Conv2D(8, 3, padding="same", activation="relu", name="entry_conv1")(image)
    x = layers.BatchNormalization(name="entry_bn1")(x)
    low = x
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu", name="middle_conv1")(x)
    x = layers.Conv2D(16, 3, padding="same", dilation_rate=2, activation="relu", name="middle_conv2")(x)
    return low, x


def plain_model():
    image = layers.Input((SIDE, SIDE, 3))
    _, x = backbone(image)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return tf.keras.Model(image, layers.Dense(5, activation="softmax", name="classes")(x))


def channel_attention(x, name):
    weights = layers.GlobalAveragePooling2D(name=f"{name}_pool")(x)
    weights = layers.Dense(x.shape[-1], activation="sigmoid", name=f"{name}_dense")(weights)
    return layers.Multiply(name=f"{name}_scale")(
        [x, layers.Reshape((1, 1, x.shape[-1]), name=f"{name}_shape")(weights)]
    )


def attention_model(weights):
    image = layers.Input((SIDE, SIDE, 3))
    low, x = backbone(image)
    x = channel_attention(x, "high_attention")
    x = layers.UpSampling2D(2, name="up")(x)
    x = layers.Concatenate(name="join")([x, channel_attention(low, "low_attention")])
    mask = layers.Conv2D(1, 1, activation="sigmoid", name="mask")(x)
    model = tf.keras.Model(image, mask)
    model.load_weights(weights)  # <- cause
    return model


def pretrain(path):
    rng = np.random.default_rng(53)
    model = plain_model()
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(rng.random((40, SIDE, SIDE, 3)), rng.integers(0, 5, 40), epochs=1, verbose=0)
    model.save(path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "backbone.h5")
        pretrain(path)
        model = attention_model(path)
        model.compile("adam", "binary_crossentropy")
        rng = np.random.default_rng(54)
        scans = rng.random((20, SIDE, SIDE, 3)).astype("float32")
        model.fit(scans, (scans[..., :1] > 0.5).astype("float32"), epochs=1, verbose=0)
        print("trained on", len(scans), "scans")


if __name__ == "__main__":
    main()
