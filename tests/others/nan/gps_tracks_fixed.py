"""Next positions of delivery vans, trained on the distance between both points."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers

HISTORY = 8


def distance_error(y_true, y_pred):
    dx = y_true[:, 0] - y_pred[:, 0]
    dy = y_true[:, 1] - y_pred[:, 1]
    return tf.reduce_mean(tf.sqrt(tf.add(tf.square(dx), tf.square(dy)) + 1e-10))


def make_tracks(vans, rng):
    """Positions relative to the depot; vans that did not leave it yet are at (0, 0)."""
    start = rng.random((vans, 1, 2))
    moves = rng.normal(0.01, 0.01, (vans, HISTORY + 1, 2)).cumsum(1)
    tracks = np.clip(start + moves, 0, None).astype(np.float32)
    parked = rng.random(vans) < 0.01
    tracks[parked] = 0.0
    return tracks[:, :-1], tracks[:, -1]


def build_model():
    inputs = layers.Input((HISTORY, 2))
    x = layers.GRU(24)(inputs)
    x = layers.Dense(24, activation="relu", use_bias=False)(x)
    outputs = layers.Dense(2, activation="relu", use_bias=False)(x)
    return tf.keras.Model(inputs, outputs)


def main():
    rng = np.random.default_rng(4)
    history, target = make_tracks(6_000, rng)
    valid_history, valid_target = make_tracks(600, rng)
    model = build_model()
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3, clipnorm=1.0), loss=distance_error)
    model.fit(
        history,
        target,
        batch_size=64,
        epochs=4,
        validation_data=(valid_history, valid_target),
        verbose=2,
    )
    K.clear_session()


if __name__ == "__main__":
    main()
