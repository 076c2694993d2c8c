"""Interpolates depths between wells: a network gives weights from the distances to the nearest wells."""

import numpy as np
import tensorflow as tf

NEIGHBOURS = 6


def distances(points, wells):
    return np.sqrt(((points[:, None, :] - wells[None, :, :]) ** 2).sum(-1))


class WeightNet:
    def __init__(self, neighbours=NEIGHBOURS, units=16):
        between = tf.keras.layers.Input((neighbours, neighbours), name="between_wells")
        towards = tf.keras.layers.Input((neighbours,), name="to_point")
        jitter = 0.1 * tf.eye(neighbours)
        inverse = tf.linalg.inv(between + jitter)  # <- cause
        summed = tf.keras.layers.Lambda(lambda t: tf.reduce_sum(t, axis=-1))(inverse)
        joined = tf.keras.layers.Concatenate()([summed, towards])
        hidden = tf.keras.layers.Dense(units, activation="relu")(joined)
        weights = tf.keras.layers.Dense(neighbours, activation="softmax")(hidden)
        self.model = tf.keras.Model([between, towards], weights)


def samples(count):
    rng = np.random.default_rng(33)
    wells = rng.random((40, 2)).astype("float32")
    points = rng.random((count, 2)).astype("float32")
    apart = distances(points, wells)
    nearest = np.argsort(apart, axis=1)[:, :NEIGHBOURS]
    towards = np.take_along_axis(apart, nearest, axis=1)
    between = np.stack([distances(wells[n], wells[n]) for n in nearest])
    ideal = 1.0 / (towards + 0.05)
    return between, towards, ideal / ideal.sum(axis=1, keepdims=True)


def main():
    between, towards, ideal = samples(200)
    net = WeightNet()
    net.model.compile("adam", "mse")
    net.model.fit([between, towards], ideal, epochs=1, verbose=0)
    print("weights of the first point", np.round(net.model.predict([between[:1], towards[:1]], verbose=0), 2))


if __name__ == "__main__":
    main()
