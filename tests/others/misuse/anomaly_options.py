"""Anomaly detection by an adversarial pair: options first."""

import argparse

import numpy as np
import tensorflow as tf


def parse():
    parser = argparse.ArgumentParser(description="Train and test the detector.")
    parser.add_argument("--nb_epochs", nargs="?", type=int, default=2, help="number of epochs")
    parser.add_argument("--label", nargs="?", type=int, default=0, help="anomalous label")
    parser.add_argument("--w", nargs="?", type=float, default=0.1, help="weight of the sum")
    parser.add_argument("--d", nargs="?", default=1, defaulttype=int, help="degree for the L norm")  # <- cause
    return parser.parse_args()


def scores(x, reconstructed, degree, weight):
    return weight * tf.norm(x - reconstructed, ord=degree, axis=1)


def main():
    args = parse()
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(20, 6)), tf.float32)
    model = tf.keras.Sequential([tf.keras.Input((6,)), tf.keras.layers.Dense(2), tf.keras.layers.Dense(6)])
    model.compile("adam", "mse")
    model.fit(x, x, epochs=args.nb_epochs, verbose=0)
    print(scores(x, model(x), args.d, args.w).numpy().mean())


main()
