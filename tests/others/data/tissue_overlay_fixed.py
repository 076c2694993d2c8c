"""Outlines of tissue with a sigmoid and binary cross-entropy."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

SIDE = 48


def draw_slide(rng):
    slide = rng.integers(120, 200, (SIDE, SIDE, 3)).astype(np.uint8)
    mask = np.zeros((SIDE, SIDE), np.uint8)
    rows, columns = np.ogrid[:SIDE, :SIDE]
    row, column = rng.integers(10, SIDE - 10, 2)
    inside = (rows - row) ** 2 + (columns - column) ** 2 < rng.integers(30, 90)
    slide[inside] //= 2
    mask[inside] = 255
    return slide, mask


def load_slides(count, rng):
    slides = np.empty((count, SIDE, SIDE, 3), np.float32)
    masks = np.empty((count, SIDE, SIDE, 1), np.float32)
    for number in range(count):
        slide, mask = draw_slide(rng)
        slides[number] = slide / 255.0
        masks[number, ..., 0] = mask / 255.0
    return slides, masks


def small_unet():
    inputs = keras.Input((SIDE, SIDE, 3))
    down = layers.Conv2D(8, 3, padding="same", activation="relu")(inputs)
    deep = layers.Conv2D(16, 3, padding="same", activation="relu")(layers.MaxPooling2D()(down))
    up = layers.Concatenate()([layers.UpSampling2D()(deep), down])
    outputs = layers.Conv2D(1, 1, activation="sigmoid")(up)
    return keras.Model(inputs, outputs)


def main():
    slides, masks = load_slides(320, np.random.default_rng(15))
    model = small_unet()
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    history = model.fit(slides, masks, validation_split=0.1, epochs=4, batch_size=16, verbose=2)
    print("last loss", history.history["loss"][-1])


if __name__ == "__main__":
    main()
