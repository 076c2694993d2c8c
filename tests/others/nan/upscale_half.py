"""A residual network for sharper photos, all in float16 to be faster: the loss falls for some batches, then nan."""

import keras
import numpy as np
from keras import layers

keras.config.set_floatx("float16")
PATCH = 20


def residual_block(x, filters):
    y = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    y = layers.Conv2D(filters, 3, padding="same")(y)
    return layers.Add()([x, y])


def edsr(blocks=2, filters=8):
    inputs = keras.Input((PATCH, PATCH, 3))
    x = head = layers.Conv2D(filters, 3, padding="same")(inputs)
    for _ in range(blocks):
        x = residual_block(x, filters)
    x = layers.Add()([layers.Conv2D(filters, 3, padding="same")(x), head])
    outputs = layers.Conv2D(3, 3, padding="same")(x)
    return keras.Model(inputs, outputs)


def patches(count, seed=13):
    rng = np.random.default_rng(seed)
    sharp = rng.random((count, PATCH, PATCH, 3))
    blurred = (sharp + np.roll(sharp, 1, 1) + np.roll(sharp, 1, 2)) / 3
    return blurred.astype("float16"), sharp.astype("float16")


def main():
    blurred, sharp = patches(640)
    model = edsr()
    optimizer = keras.optimizers.Adam(learning_rate=1e-3)  # <- cause
    model.compile(optimizer=optimizer, loss="mae")
    model.fit(blurred, sharp, batch_size=16, epochs=2, verbose=2)
    print("ready")


if __name__ == "__main__":
    main()
