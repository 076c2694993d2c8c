"""The price of a house from its photos and its figures: a CNN and an MLP whose outputs are joined."""

import numpy as np
from tensorflow.keras.layers import (
    Activation,
    BatchNormalization,
    Conv2D,
    Dense,
    Dropout,
    Flatten,
    Input,
    MaxPooling2D,
    concatenate,
)
from tensorflow.keras.models import Model, Sequential


def create_mlp(columns):
    return Sequential([Input((columns,)), Dense(8, activation="relu"), Dense(4, activation="relu")])


def create_cnn(width, height, depth, filters=(8, 16, 24)):
    inputs = Input((height, width, depth))
    x = inputs
    for count in filters:
        x = Conv2D(count, (3, 3), padding="same")(x)
        x = Activation("relu")(x)
        x = BatchNormalization()(x)
        x = MaxPooling2D((2, 2))(x)

    x = Flatten()(x)
    x = Dense(16)(x)
    x = Activation("relu")(x)
    x = Dropout(0.5)(x)
    x = Dense(4)(x)
    x = Activation("relu")(x)
    return Model(inputs, x)


def main():
    rng = np.random.default_rng(6)
    figures, photos = rng.random((40, 5)), rng.random((40, 32, 32, 3))
    prices = rng.random(40)
    mlp, cnn = create_mlp(figures.shape[1]), create_cnn(32, 32, 3)
    joined = concatenate([mlp.outputs[0], cnn.outputs[0]])
    price = Dense(1, activation="linear")(Dense(4, activation="relu")(joined))
    model = Model([mlp.inputs[0], cnn.inputs[0]], price)
    model.compile(loss="mae", optimizer="adam")
    model.fit([figures, photos], prices, epochs=1, batch_size=8, verbose=0)
    print("mean absolute error", round(float(model.evaluate([figures, photos], prices, verbose=0)), 3))


if __name__ == "__main__":
    main()
