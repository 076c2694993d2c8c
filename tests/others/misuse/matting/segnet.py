"""The second stage, which train.py trains: the first stage with a refinement on top."""

from config import CHANNELS, SIDE
from tensorflow.keras import Model
from tensorflow.keras.layers import BatchNormalization, Concatenate, Conv2D, Input, MaxPooling2D, UpSampling2D


def build_encoder_decoder():
    picture = Input((SIDE, SIDE, CHANNELS))
    x = Conv2D(8, 3, padding="same", activation="relu", name="conv1_1")(picture)
    x = Conv2D(8, 3, padding="same", activation="relu", name="conv1_2")(x)
    x = MaxPooling2D(2)(x)
    x = Conv2D(16, 3, padding="same", activation="relu", name="conv2")(x)
    x = BatchNormalization(name="bn")(x)
    x = UpSampling2D(2)(x)
    rough = Conv2D(1, 3, padding="same", activation="sigmoid", name="pred")(x)
    x = Concatenate()([picture, rough])
    x = Conv2D(12, 3, padding="same", activation="relu", name="refine1")(x)
    x = BatchNormalization(name="refine_bn")(x)
    alpha = Conv2D(1, 3, padding="same", activation="sigmoid", name="refined")(x)
    return Model(picture, alpha)
