"""Residual network whose shortcuts find their stride and width from the shapes of both branches."""
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

ROW_AXIS, COL_AXIS, CHANNEL_AXIS = 1, 2, 3


def bn_relu_conv(x, filters, kernel, strides=(1, 1)):
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu")(x)
    return layers.Conv2D(filters, kernel, strides=strides, padding="same", kernel_initializer="he_normal")(x)


def shortcut(inputs, residual):
    stride_rows = round(inputs.shape[ROW_AXIS] / residual.shape[ROW_AXIS])
    stride_cols = round(inputs.shape[COL_AXIS] / residual.shape[COL_AXIS])
    equal_channels = inputs.shape[CHANNEL_AXIS] == residual.shape[CHANNEL_AXIS]
    identity = inputs
    if stride_rows > 1 or stride_cols > 1 or not equal_channels:
        identity = layers.Conv2D(residual.shape[CHANNEL_AXIS], (1, 1), strides=(stride_rows, stride_cols),
                                 padding="valid", kernel_initializer="he_normal")(inputs)
    return layers.add([identity, residual])


def basic_block(x, filters, first_strides):
    residual = bn_relu_conv(x, filters, (3, 3), strides=first_strides)
    residual = bn_relu_conv(residual, filters, (3, 3))
    return shortcut(x, residual)


def build_resnet(input_shape, num_outputs, repetitions=(1, 1)):
    inputs = layers.Input(input_shape)
    x = layers.Conv2D(8, (5, 5), strides=(2, 2), padding="same", kernel_initializer="he_normal")(inputs)
    filters = 8
    for stage, blocks in enumerate(repetitions):
        for block in range(blocks):
            strides = (2, 2) if block == 0 and stage > 0 else (1, 1)
            x = basic_block(x, filters, strides)
        filters *= 2
    x = layers.Activation("relu")(layers.BatchNormalization()(x))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(num_outputs, activation="softmax")(x))


def ripe_and_unripe(count=32, side=50):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, count)
    pictures = rng.random((count, side, side, 3)).astype("float32")
    pictures[labels == 1, :, :, 0] += 0.8
    return pictures, labels


if __name__ == "__main__":
    pictures, labels = ripe_and_unripe()
    model = build_resnet(pictures.shape[1:], 2)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(pictures, labels, epochs=2, batch_size=16, verbose=2)
