"""Trains the last blocks of a base that was trained on other pictures. Keras 2."""

import numpy as np
import tf_keras as keras
from tf_keras.layers import Conv2D, Input, MaxPooling2D


def trained_base(include_top=False, input_tensor=None):
    x = Conv2D(6, 3, padding="same", activation="relu", name="block1_conv1")(input_tensor)
    x = MaxPooling2D(2, name="block1_pool")(x)
    x = Conv2D(8, 3, padding="same", activation="relu", name="block2_conv1")(x)
    x = MaxPooling2D(2, name="block2_pool")(x)
    if include_top:
        x = keras.layers.Dense(1000, activation="softmax")(keras.layers.Flatten()(x))
    return keras.Model(input_tensor, x)


rng = np.random.default_rng(6)
trainX = rng.random((40, 24, 24, 3)).astype("float32")
trainY = rng.integers(0, 2, (40, 1)).astype("float32")

model = trained_base(include_top=False, input_tensor=Input(shape=(24, 24, 3)))  # <- cause
for layer in model.layers[:2]:
    layer.trainable = False
model.compile(optimizer="rmsprop", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x=trainX, y=trainY, batch_size=10, epochs=1, verbose=0)
print("trained on", len(trainX))
