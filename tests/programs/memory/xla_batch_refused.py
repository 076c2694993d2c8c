"""A step that XLA compiled asks for all of its temporary memory at once."""

import keras
import numpy as np

BATCH = 2048


def build(filters):
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((64, 64, 3)),
            layers.Conv2D(filters, 3, padding="same", activation="relu"),
            layers.Conv2D(filters, 3, padding="same", activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(10),
        ]
    )


model = build(512)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer="adam", loss=loss, jit_compile=True)
x = np.zeros((BATCH, 64, 64, 3), "float32")
y = np.zeros((BATCH,), "int32")
model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)  # <- cause
