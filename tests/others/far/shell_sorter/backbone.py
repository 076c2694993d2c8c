"""A small residual network with the usual include_top / input_shape options."""
from tensorflow import keras
from tensorflow.keras import layers


def residual_block(x, filters, stride, name):
    shortcut = layers.Conv2D(filters, 1, strides=stride, name=f"{name}_skip")(x)
    x = layers.Conv2D(
        filters, 3, strides=stride, padding="same", activation="relu", name=f"{name}_a"
    )(x)
    x = layers.Conv2D(filters, 3, padding="same", name=f"{name}_b")(x)
    x = layers.Add(name=f"{name}_sum")([x, shortcut])
    return layers.ReLU(name=f"{name}_out")(x)


def tiny_resnet(include_top=True, input_shape=None, classes=10):
    if input_shape is None:
        input_shape = (64, 64, 3) if include_top else (None, None, 3)  # <- cause
    pixels = keras.Input(shape=input_shape, name="pixels")
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu", name="stem")(pixels)
    x = residual_block(x, 8, 2, "block1")
    x = residual_block(x, 16, 2, "block2")
    if include_top:
        x = layers.GlobalAveragePooling2D(name="pool")(x)
        x = layers.Dense(classes, activation="softmax", name="classes")(x)
    return keras.Model(pixels, x, name="tiny_resnet")
