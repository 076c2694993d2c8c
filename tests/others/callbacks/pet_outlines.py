# Outlines of pets: a small encoder and decoder, trained with checkpoints
import os
import tempfile

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

img_size = 16


def get_model(size):
    inputs = keras.Input((size, size, 3))
    x = layers.Rescaling(1.0 / 255)(inputs)
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2DTranspose(8, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(inputs, layers.Conv2D(3, 3, padding="same", activation="softmax")(x))


rng = np.random.default_rng(3)
input_imgs = rng.integers(0, 255, (40, img_size, img_size, 3)).astype("float32")
targets = rng.integers(0, 3, (40, img_size, img_size, 1))

model = get_model(img_size)
model.compile(optimizer="rmsprop", loss="sparse_categorical_crossentropy")

with tempfile.TemporaryDirectory() as folder:
    callbacks = {keras.callbacks.ModelCheckpoint(os.path.join(folder, "pets.keras"), save_best_only=True)}  # <- cause
    history = model.fit(  # <- cause
        input_imgs,
        targets,
        epochs=1,
        callbacks=[callbacks],
        batch_size=8,
        validation_split=0.2,
        verbose=2,
    )
print(history.history["val_loss"])
