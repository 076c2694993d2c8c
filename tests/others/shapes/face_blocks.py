"""Faces as vectors: blocks of parallel convolutions whose outputs are put side by side."""

import numpy as np
from tensorflow.keras import Model
from tensorflow.keras.layers import (
    Activation,
    AveragePooling2D,
    BatchNormalization,
    Conv2D,
    Dense,
    Flatten,
    Input,
    MaxPooling2D,
    UpSampling2D,
    concatenate,
)

JOIN_AXIS = 1  # <- cause


def conv_bn(x, filters, size, name):
    x = Conv2D(filters, size, padding="same", name=name)(x)
    x = BatchNormalization(name=name + "_bn")(x)
    return Activation("relu")(x)


def block(x, narrow, wide, pooled, name):
    three = conv_bn(conv_bn(x, narrow, 1, name + "_3x3_a"), wide, 3, name + "_3x3_b")
    five = conv_bn(conv_bn(x, narrow // 2, 1, name + "_5x5_a"), wide // 2, 5, name + "_5x5_b")
    pool = conv_bn(MaxPooling2D(2)(x), pooled, 1, name + "_pool")
    pool = UpSampling2D(2)(pool)
    one = conv_bn(x, pooled, 1, name + "_1x1")
    return concatenate([three, five, pool, one], axis=JOIN_AXIS)


def face_model(side):
    inputs = Input((side, side, 3))
    x = conv_bn(inputs, 8, 7, "stem")
    x = MaxPooling2D(2)(x)
    x = block(x, 8, 16, 4, "inception_1a")
    x = block(x, 8, 12, 4, "inception_1b")
    x = AveragePooling2D(3)(x)
    return Model(inputs, Dense(16)(Flatten()(x)))


if __name__ == "__main__":
    faces = np.random.default_rng(1).random((4, 48, 48, 3)).astype("float32")
    vectors = face_model(48).predict(faces, verbose=0)
    print("distance of the first two:", round(float(np.linalg.norm(vectors[0] - vectors[1])), 3))
