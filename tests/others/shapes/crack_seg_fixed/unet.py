from tensorflow import keras
from tensorflow.keras import layers


def conv_pair(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)


def build_unet(s):
    inputs = keras.Input((s.height, s.width, 1))
    x, skips = inputs, []
    for level in range(s.levels):
        x = conv_pair(x, s.filters * 2**level)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = conv_pair(x, s.filters * 2**s.levels)
    for level in reversed(range(s.levels)):
        x = layers.UpSampling2D(2)(x)
        x = layers.Concatenate()([x, skips[level]])
        x = conv_pair(x, s.filters * 2**level)
    mask = layers.Conv2D(1, 1, activation="sigmoid", name="crack")(x)
    return keras.Model(inputs, mask, name="unet")
