import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

OPTIONS = {"batch": 64, "side": 12, "filters": 48, "outputs": 10}


def regressor(options):
    side = options["side"]
    return tf.keras.Sequential(
        [
            tf.keras.Input((side, side, 1)),
            tf.keras.layers.Conv2D(options["filters"], 3, activation="tanh", name="first"),
            tf.keras.layers.Conv2D(options["filters"], 3, activation="tanh", name="second"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(options["outputs"]),
        ]
    )


def fields(options, seed=2):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(options["batch"], options["side"], options["side"], 1)).astype("float32")


def jacobians(network, x):
    """How every output of every row depends on each weight: [rows, outputs, *weight]."""
    with tf.GradientTape() as tape:
        y = network(x)
    return tape.jacobian(y, network.trainable_variables)  # <- cause


def tangent_kernel(parts):
    kernel = 0.0
    for part in parts:
        flat = tf.reshape(part, (part.shape[0] * part.shape[1], -1))
        kernel += tf.matmul(flat, flat, transpose_b=True)
    return kernel


def main():
    network = regressor(OPTIONS)
    x = tf.constant(fields(OPTIONS))
    kernel = tangent_kernel(jacobians(network, x))
    print("kernel", kernel.shape, "trace", float(tf.linalg.trace(kernel)))


main()
