"""Rare defects of parts: the focal loss looks at the hard ones."""

import numpy as np
import tensorflow as tf


def focal_loss(gamma=2.0, alpha=0.25):
    def focal_loss_fixed(y_true, y_pred):
        pt_1 = tf.where(tf.equal(y_true, 1), y_pred, tf.ones_like(y_pred))
        pt_0 = tf.where(tf.equal(y_true, 0), y_pred, tf.zeros_like(y_pred))
        found = -tf.reduce_sum(alpha * tf.pow(1.0 - pt_1, gamma) * tf.math.log(1e-7 + pt_1))
        missed = -tf.reduce_sum((1 - alpha) * tf.pow(pt_0, gamma) * tf.math.log(1.0 - pt_0 + 1e-7))
        return found + missed

    return focal_loss_fixed


def measurements(count, seed=41):
    draw = np.random.default_rng(seed)
    defect = (draw.random(count) < 0.05).astype("float32")
    values = draw.normal(size=(count, 7)) + defect[:, None]
    values[:, 0] *= 60.0
    return values.astype("float32"), defect[:, None]


def build(width):
    model = tf.keras.Sequential(
        [
            tf.keras.Input((width,)),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss=focal_loss(gamma=2.0, alpha=0.6))
    return model


def main():
    tf.keras.utils.set_random_seed(1)
    values, defect = measurements(800)
    history = build(values.shape[1]).fit(values, defect, batch_size=64, epochs=2, verbose=2)
    print("loss", history.history["loss"])


if __name__ == "__main__":
    main()
