import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

FILTER_NUM = 8
FILTER_SIZE = 3
UP_SIZE = 2
PATCH = 96
BANDS = 7


def conv_block(x, size, dropout=0.0, batch_norm=True):
    for _ in range(2):
        x = layers.Conv2D(size, (FILTER_SIZE, FILTER_SIZE), padding="same")(x)
        if batch_norm:
            x = layers.BatchNormalization(axis=3)(x)
        x = layers.Activation("relu")(x)
    if dropout > 0:
        x = layers.Dropout(dropout)(x)
    return x


def up_block(x, skip, size):
    up = layers.UpSampling2D(size=(UP_SIZE, UP_SIZE))(x)
    merged = layers.concatenate([up, skip], axis=3)
    return conv_block(merged, size)


def unet(height, width, bands, depth=3):
    inputs = layers.Input((height, width, bands), dtype=tf.float32)
    x = inputs
    skips = []
    for level in range(depth):
        x = conv_block(x, FILTER_NUM * 2 ** level)
        skips.append(x)
        x = layers.MaxPooling2D(pool_size=(2, 2))(x)

    x = conv_block(x, FILTER_NUM * 2 ** depth, dropout=0.1)

    for level in reversed(range(depth)):
        x = up_block(x, skips[level], FILTER_NUM * 2 ** level)

    outputs = layers.Conv2D(1, (1, 1), activation="sigmoid")(x)
    return models.Model(inputs, outputs, name="cloud_unet")


def read_scene(n_patches, size, seed=0):
    rng = np.random.default_rng(seed)
    scene = rng.normal(size=(n_patches, size, size, BANDS)).astype("float32")
    mask = (scene.mean(axis=-1, keepdims=True) > 0.1).astype("float32")
    return scene, mask


def train():
    scene, mask = read_scene(6, PATCH)
    model = unet(PATCH, PATCH, BANDS)
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(scene, mask, batch_size=2, epochs=1, verbose=2)
    cover = model.predict(scene[:1], verbose=0).mean()
    print("cloud cover in first patch: %.3f" % cover)


if __name__ == "__main__":
    train()
