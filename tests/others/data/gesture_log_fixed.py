"""Gestures from the readings of a wrist band."""

import numpy as np
from tensorflow import keras

GESTURES = 6
EACH = 40

keras.utils.set_random_seed(5)
draw = np.random.default_rng(5)
centres = draw.normal(0, 3, (GESTURES, 8))
readings = np.vstack([centre + draw.normal(0, 0.4, (EACH, 8)) for centre in centres])
gesture = np.arange(GESTURES).repeat(EACH)

band = keras.Sequential(
    [
        keras.layers.Input((8,)),
        keras.layers.Dense(24, activation="tanh"),
        keras.layers.Dense(GESTURES),
    ]
)
band.compile(
    optimizer=keras.optimizers.Adam(0.02),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
mixed = draw.permutation(len(readings))
readings, gesture = readings[mixed], gesture[mixed]
course = band.fit(readings, gesture, validation_split=0.3, epochs=12, verbose=0)
right = course.history["val_accuracy"][-1]
if right < 0.5:
    raise RuntimeError(f"only {right:.0%} of the gestures are recognised")
print("recognised", f"{right:.0%}")
