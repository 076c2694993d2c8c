import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

SETTINGS = {
    "side": 176,
    "layer_depth": 4,
    "filters_root": 4,
    "classes": 2,
    "epochs": 1,
}


class DownBlock(tf.keras.layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.convolution = tf.keras.layers.Conv2D(filters, 3, padding="same", activation="relu")
        self.pool = tf.keras.layers.MaxPooling2D()

    def call(self, x):
        x = self.convolution(x)
        return x, self.pool(x)


class UpBlock(tf.keras.layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.up = tf.keras.layers.Conv2DTranspose(filters, 2, strides=2)
        self.convolution = tf.keras.layers.Conv2D(filters, 3, padding="same", activation="relu")

    def call(self, x, skipped):
        return self.convolution(tf.concat([skipped, self.up(x)], axis=-1))


class UNet(tf.keras.Model):
    def __init__(self, layer_depth, filters_root, classes):
        super().__init__()
        widths = [filters_root * 2**level for level in range(layer_depth - 1)]
        self.down = [DownBlock(width) for width in widths]
        self.up = [UpBlock(width) for width in reversed(widths)]
        self.head = tf.keras.layers.Conv2D(classes, 1)

    def call(self, x):
        skipped = []
        for block in self.down:
            full, x = block(x)
            skipped.append(full)
        for block, full in zip(self.up, reversed(skipped), strict=True):
            x = block(x, full)
        return self.head(x)


def circles(count, side, seed=2):
    draw = np.random.default_rng(seed)
    rows, columns = np.mgrid[:side, :side]
    centres = draw.integers(20, side - 20, (count, 2))
    masks = [(rows - r) ** 2 + (columns - c) ** 2 < 15**2 for r, c in centres]
    masks = np.stack(masks)
    return (masks[..., None] + draw.normal(0, 0.3, masks.shape + (1,))).astype("float32"), masks.astype("int32")


def main(settings):
    pictures, masks = circles(8, settings["side"])
    model = UNet(settings["layer_depth"], settings["filters_root"], settings["classes"])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(pictures, masks, batch_size=2, epochs=settings["epochs"], verbose=2)


main(SETTINGS)
