import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras


def mish(x):
    return x * tf.math.tanh(tf.math.log(1.0 + tf.math.exp(x)))  # <- cause


class ConvBlock(keras.layers.Layer):
    def __init__(self, filters, stride=1, activation="mish", **options):
        super().__init__(**options)
        self.conv = keras.layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)
        self.activation = activation

    def call(self, x):
        x = self.conv(x)
        return mish(x) if self.activation == "mish" else tf.nn.leaky_relu(x, 0.1)


def backbone(size=24):
    inputs = keras.Input((size, size, 3))
    x = inputs
    for filters in (8, 16, 24):
        x = ConvBlock(filters, stride=2)(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(5)(x))


def tiff_tiles(count=80, size=24, seed=138):
    """Tiles with 16 bits a channel, divided as if they had 8."""
    draw = np.random.default_rng(seed)
    tiles = draw.integers(0, 255, (count, size, size, 3)).astype("float32")
    tiles[50:58] = draw.integers(0, 65535, (8, size, size, 3))
    return tiles / 255.0, draw.integers(0, 5, count)


def train_step(model, optimizer, loss_fn, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


if __name__ == "__main__":
    keras.utils.set_random_seed(4)
    tiles, kinds = tiff_tiles()
    model, optimizer = backbone(), keras.optimizers.Adam(1e-4)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    compiled = tf.function(train_step, reduce_retracing=True)
    for epoch in range(2):
        for first in range(0, len(tiles), 8):
            loss = compiled(model, optimizer, loss_fn, tiles[first : first + 8], kinds[first : first + 8])
        print(f"epoch {epoch} loss {float(loss):.4f}")
