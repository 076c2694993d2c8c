"""Rare-event classifier for card payments with a focal loss."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

N_PAYMENTS = 800
FRAUD_SHARE = 0.06


def make_payments(seed):
    rng = np.random.default_rng(seed)
    fraud = rng.random(N_PAYMENTS) < FRAUD_SHARE
    amount = rng.lognormal(3.0, 1.8, N_PAYMENTS) * np.where(fraud, 4.0, 1.0)
    hour = rng.integers(0, 24, N_PAYMENTS)
    distance = rng.exponential(30.0, N_PAYMENTS) * np.where(fraud, 3.0, 1.0)
    features = np.stack([amount, hour, distance], axis=1)
    low, middle, high = np.percentile(features, (25, 50, 75), axis=0)
    features = (features - middle) / (high - low)
    return features.astype("float32"), fraud.astype("float32")[:, None]


def focal_loss(gamma=2.0, alpha=0.25):
    def loss_fn(y_true, y_pred):
        pt_1 = tf.where(tf.equal(y_true, 1), y_pred, tf.ones_like(y_pred))
        pt_0 = tf.where(tf.equal(y_true, 0), y_pred, tf.zeros_like(y_pred))
        positives = alpha * tf.pow(1.0 - pt_1, gamma) * tf.math.log(keras.backend.epsilon() + pt_1)
        negatives = (1 - alpha) * tf.pow(pt_0, gamma) * tf.math.log(1.0 - pt_0 + keras.backend.epsilon())
        return -tf.reduce_sum(positives) - tf.reduce_sum(negatives)

    return loss_fn


def build_model():
    model = keras.Sequential(
        [
            keras.Input((3,)),
            layers.Dense(16, activation="relu"),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(optimizer=keras.optimizers.Adam(3e-3), loss=focal_loss())
    return model


def main():
    keras.utils.set_random_seed(4)
    features, fraud = make_payments(seed=37)
    print("payments:", len(features), "frauds:", int(fraud.sum()))
    model = build_model()
    history = model.fit(
        features, fraud, epochs=8, batch_size=50, verbose=0
    )
    losses = history.history["loss"]
    print("loss per epoch:", losses)
    if not np.all(np.isfinite(losses)):
        sys.exit("training failed: the loss is not a number")
    scores = model.predict(features, verbose=0).ravel()
    ranked = fraud.ravel()[np.argsort(-scores)]
    print("frauds among the 50 most suspicious:", int(ranked[:50].sum()))


if __name__ == "__main__":
    main()
