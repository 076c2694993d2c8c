"""A generator and its adversary, trained in turns. Keras 2."""

import numpy as np
import tf_keras as keras
from tf_keras import layers

NOISE, WIDTH, BATCH = 6, 10, 16


def generator():
    noise = keras.Input((NOISE,))
    return keras.Model(noise, layers.Dense(WIDTH)(layers.Dense(12, activation="relu")(noise)))


def discriminator():
    sample = keras.Input((WIDTH,))
    hidden = layers.LeakyReLU()(layers.Dense(12)(sample))
    model = keras.Model(sample, layers.Dense(1, activation="sigmoid")(hidden))
    model.compile("adam", "binary_crossentropy")
    return model


def adversarial(generate, judge):
    judge.trainable = False
    noise = keras.Input((NOISE,))
    model = keras.Model(noise, judge(generate(noise)))
    model.compile("adam", "binary_crossentropy")
    return model


rng = np.random.default_rng(7)
generate, judge = generator(), discriminator()
both = adversarial(generate, judge)
for step in range(3):
    noise = rng.normal(size=(BATCH, NOISE)).astype("float32")
    real = rng.normal(2, 1, (BATCH, WIDTH)).astype("float32")
    judge.train_on_batch(real, np.ones((BATCH, 1)))
    judge.train_on_batch(generate.predict(noise, verbose=0), np.zeros((BATCH, 1)))
    loss = both.train_on_batch(noise, [1] * BATCH)  # <- cause
print("last loss", round(float(loss), 1) > 0)
