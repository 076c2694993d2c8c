"""`model.fit` of a CNN with a million weights on images of 128 x 128: the activations are the memory."""

import keras
import numpy as np
from keras import layers
from step_peak import StepPeak

STEPS, BATCH = 3, 160

rng = np.random.default_rng(0)
images = rng.random([BATCH, 128, 128, 3], "float32")
labels = rng.integers(0, 10, len(images))
model = keras.Sequential([layers.Input([128, 128, 3])])
for width in (16, 16, 32, 32):
    model.add(layers.Conv2D(width, 3, padding="same", use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.ReLU())
    model.add(layers.MaxPooling2D())
for layer in (layers.Flatten(), layers.Dense(512, "relu"), layers.Dropout(0.3), layers.Dense(10)):
    model.add(layer)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
peak = StepPeak()
model.fit(images, labels, batch_size=BATCH, epochs=STEPS, verbose=0, callbacks=[peak])
peak.tell()
