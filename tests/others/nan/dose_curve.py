"""A response curve 1/(1-exp(-x)) - 1/x in a custom loss, with its limit at 0 put in by tf.where; the loss turns
nan."""

import numpy as np
import tensorflow as tf

STEPS, MARKERS = 12, 6


def response(x):
    near = tf.abs(x) < 0.1
    exact = 1.0 / (1.0 - tf.exp(-x)) - 1.0 / x  # <- cause
    return tf.where(near, 0.5 + x / 12.0, exact)  # <- cause


def response_loss(y_true, y_pred):
    both = response(y_pred) + response(y_pred + 50.0)
    return tf.reduce_mean(tf.square(both - y_true))


def make_patients(count, rng):
    """Visits of each patient; those who left early are padded with zeros."""
    visits = rng.normal(size=(count, STEPS, MARKERS)).astype(np.float32)
    lengths = np.full(count, STEPS)
    lengths[count // 2 :] = rng.integers(6, STEPS + 1, count - count // 2)
    for number, length in enumerate(lengths):
        visits[number, length:] = 0.0
    slope = rng.normal(size=MARKERS).astype(np.float32)
    effect = 1.5 / (1.0 + np.exp(-visits @ slope))
    return visits, effect.astype(np.float32)


def build():
    inputs = tf.keras.Input((STEPS, MARKERS))
    x = tf.keras.layers.Dense(32, activation="tanh", use_bias=False)(inputs)
    x = tf.keras.layers.Dense(1, use_bias=False)(x)
    outputs = tf.keras.layers.Reshape((STEPS,))(x)
    model = tf.keras.Model(inputs, outputs)
    model.compile(tf.keras.optimizers.Adam(1e-3), loss=response_loss)
    return model


def main():
    visits, effect = make_patients(2_048, np.random.default_rng(2))
    model = build()
    model.fit(visits, effect, batch_size=32, epochs=3, shuffle=False, verbose=2)


if __name__ == "__main__":
    main()
