"""Streets of a city by pixel: an encoder and a decoder with dilated convolutions, one-hot masks."""

import numpy as np
import tensorflow as tf
import tf_keras as keras
from tf_keras import layers

SIDE, CLASSES = 16, 5


def frames(count=24):
    rng = np.random.default_rng(44)
    pictures = rng.random((count, SIDE, SIDE, 3)).astype("float32")
    masks = rng.integers(0, CLASSES, (count, SIDE, SIDE))
    return pictures, masks


def pipeline(pictures, masks, batch):
    data = tf.data.Dataset.from_tensor_slices((pictures, masks))
    data = data.map(lambda picture, mask: (picture, tf.one_hot(mask, CLASSES)))
    return data.shuffle(len(pictures)).batch(batch, drop_remainder=True)


def deep_lab():
    inputs = keras.Input((SIDE, SIDE, 3))
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(inputs)
    branches = [layers.Conv2D(8, 3, dilation_rate=rate, padding="same", activation="relu")(x) for rate in (1, 2)]
    x = layers.Concatenate()(branches)
    x = layers.UpSampling2D(2, interpolation="bilinear")(x)
    return keras.Model(inputs, layers.Conv2D(CLASSES, 1)(x), name="deep_lab")


def main():
    model = deep_lab()
    loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=loss)
    history = model.fit(pipeline(*frames(), 8), epochs=2, verbose=0)
    print("loss", [round(value, 3) for value in history.history["loss"]])


if __name__ == "__main__":
    main()
