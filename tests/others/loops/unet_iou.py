"""Tiny U-Net with an IoU metric."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Concatenate, Conv2D, Input, MaxPooling2D, UpSampling2D
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam

SIDE = 32


def make_blobs(n=32, seed=9):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[:SIDE, :SIDE]
    images = rng.normal(0, 0.2, (n, SIDE, SIDE, 1))
    masks = np.zeros((n, SIDE, SIDE, 1))
    for i in range(n):
        cy, cx = rng.integers(8, 24, 2)
        disc = (yy - cy) ** 2 + (xx - cx) ** 2 < rng.integers(9, 36)
        masks[i, ..., 0] = disc
        images[i, ..., 0] += disc
    return images.astype("float32"), masks.astype("float32")


def iou(y_true, y_pred):  # <- cause
    y_pred = tf.cast(y_pred > 0.5, dtype=tf.float32)
    i = tf.reduce_sum(y_true * y_pred)
    u = tf.reduce_sum(y_true + y_pred) - i
    return i / u if u != 0 else u  # <- cause


def conv_block(x, filters):
    x = Conv2D(filters, 3, activation="relu", padding="same",
               kernel_initializer="he_normal")(x)
    return Conv2D(filters, 3, activation="relu", padding="same",
                  kernel_initializer="he_normal")(x)


def unet(pretrained_weights=None, input_size=(SIDE, SIDE, 1)):
    inputs = Input(input_size)
    conv1 = conv_block(inputs, 4)
    pool1 = MaxPooling2D(pool_size=(2, 2))(conv1)
    conv2 = conv_block(pool1, 8)
    up1 = UpSampling2D(size=(2, 2))(conv2)
    merged = Concatenate(axis=3)([conv1, up1])
    conv3 = conv_block(merged, 4)
    outputs = Conv2D(1, 1, activation="sigmoid")(conv3)
    model = Model(inputs, outputs)
    model.compile(optimizer=Adam(learning_rate=1e-3), loss="binary_crossentropy",
                  metrics=["accuracy", iou])  # <- cause
    if pretrained_weights:
        model.load_weights(pretrained_weights)
    return model


def main():
    tf.keras.utils.set_random_seed(9)
    images, masks = make_blobs()
    model = unet()
    history = model.fit(images[:24], masks[:24], validation_data=(images[24:], masks[24:]),
                        batch_size=8, epochs=2, verbose=2)
    print(sorted(history.history))


if __name__ == "__main__":
    main()
