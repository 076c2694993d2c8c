"""Learns which of two offers is better: the rows of a batch are pairs."""

import keras
import numpy as np
from keras import ops


def pair_loss(y_true, y_pred):
    y_true = ops.reshape(y_true, [-1, 2])
    y_pred = ops.softmax(ops.reshape(y_pred, [-1, 2]))
    return ops.repeat(keras.losses.categorical_crossentropy(y_true, y_pred), 2)


def offers(count):
    rng = np.random.default_rng(6)
    y = np.zeros(count, dtype="float32")
    y[::2] = 1
    x = (y + rng.random(count)).astype("float32")
    weights = np.where(rng.random(count) < 0.5, 1.0, 0.5)
    return x[:, None], y[:, None], weights


x, y, weights = offers(64)
offer = keras.Input((1,))
model = keras.Model(offer, keras.layers.Dense(1)(offer))
model.compile(optimizer="sgd", loss=pair_loss)
model.fit(x, y, sample_weight=weights, batch_size=16, epochs=1, shuffle=False, verbose=0)
print("loss", model.evaluate(x, y, batch_size=16, verbose=0))
