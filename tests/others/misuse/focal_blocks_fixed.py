"""Video network whose blocks work on tokens and are told the height and width of the frames; moved to Keras 3."""
import keras
import numpy as np
from keras import layers, ops


class PatchEmbed(layers.Layer):
    def __init__(self, patch, dim, **kwargs):
        super().__init__(**kwargs)
        self.proj = layers.Conv2D(dim, patch, strides=patch)

    def call(self, x):
        x = self.proj(x)
        height, width = x.shape[1], x.shape[2]
        return ops.reshape(x, (-1, height * width, x.shape[3])), height, width


class FocalBlock(layers.Layer):
    def __init__(self, dim, **kwargs):
        super().__init__(**kwargs)
        self.norm = layers.LayerNormalization()
        self.depthwise = layers.DepthwiseConv2D(3, padding="same")
        self.mix = layers.Dense(dim, activation="gelu")
        self.dim = dim

    def call(self, tokens, height, width):
        x = self.norm(tokens)
        grid = ops.reshape(x, (-1, height, width, self.dim))
        context = ops.reshape(self.depthwise(grid), (-1, height * width, self.dim))
        return tokens + self.mix(context)


class VideoFocalNet(keras.Model):
    def __init__(self, classes, dim=16, depth=2, **kwargs):
        super().__init__(**kwargs)
        self.embed = PatchEmbed(4, dim)
        self.blocks = [FocalBlock(dim) for _ in range(depth)]
        self.pool = layers.GlobalAveragePooling1D()
        self.head = layers.Dense(classes, activation="softmax")

    def call(self, frames):
        tokens, height, width = self.embed(frames)
        for block in self.blocks:
            tokens = block(tokens, height=height, width=width)
        return self.head(self.pool(tokens))


def clips(count=64, classes=4):
    rng = np.random.default_rng(13)
    labels = rng.integers(0, classes, count)
    frames = rng.random((count, 32, 32, 3)).astype("float32") * 0.4
    for i, label in enumerate(labels):
        frames[i, label * 8:label * 8 + 8] += 0.5
    return frames, labels


if __name__ == "__main__":
    frames, labels = clips()
    model = VideoFocalNet(4)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(frames, labels, epochs=2, batch_size=16, verbose=2)
