"""The first stage: encoder and decoder."""

from config import CHANNELS, SIDE
from tensorflow.keras import Model
from tensorflow.keras.layers import BatchNormalization, Conv2D, Input, MaxPooling2D, UpSampling2D


def build_encoder_decoder():
    picture = Input((SIDE, SIDE, CHANNELS))
    x = Conv2D(8, 3, padding="same", activation="relu", name="conv1")(picture)
    x = MaxPooling2D(2)(x)
    x = Conv2D(16, 3, padding="same", activation="relu", name="conv2")(x)
    x = BatchNormalization(name="bn")(x)
    x = UpSampling2D(2)(x)
    alpha = Conv2D(1, 3, padding="same", activation="sigmoid", name="pred")(x)
    return Model(picture, alpha)
