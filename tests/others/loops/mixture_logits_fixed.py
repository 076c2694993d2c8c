"""Fit the weights of a small mixture by minimising a negative log likelihood."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import argparse

import numpy as np
import tensorflow as tf

CENTERS = np.array([-2.0, 0.5, 3.0], dtype="float32")
WIDTH = 0.6


def draw_points(count, seed):
    rng = np.random.default_rng(seed)
    which = rng.choice(len(CENTERS), size=count, p=[0.2, 0.5, 0.3])
    return (CENTERS[which] + WIDTH * rng.standard_normal(count)).astype("float32")


def component_densities(points):
    z = (points[:, None] - CENTERS[None, :]) / WIDTH
    return np.exp(-0.5 * z**2) / (WIDTH * np.sqrt(2 * np.pi))


def negative_log_likelihood(logits, densities):
    weights = tf.nn.softmax(logits)
    mixed = tf.reduce_sum(weights * densities, axis=1)
    return -tf.reduce_mean(tf.math.log(mixed + 1e-9))


def fit(densities, steps, rate):
    logits = tf.Variable(tf.zeros(len(CENTERS)), name="mixture_logits")
    optimizer = tf.compat.v1.train.AdamOptimizer(rate)
    trace = []
    for step in range(steps):
        cost = negative_log_likelihood(logits, densities)
        loss = lambda: negative_log_likelihood(logits, densities)
        optimizer.minimize(loss, var_list=[logits])
        trace.append(float(cost))
        if step % 20 == 0:
            print(f"step {step:3d}  nll {trace[-1]:.4f}")
    return tf.nn.softmax(logits).numpy(), trace


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=400)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rate", type=float, default=0.1)
    options = parser.parse_args()

    points = draw_points(options.points, seed=3)
    densities = tf.constant(component_densities(points), dtype=tf.float32)
    weights, trace = fit(densities, options.steps, options.rate)

    print("weights:", np.round(weights, 3))
    print("improvement:", round(trace[0] - trace[-1], 4))


if __name__ == "__main__":
    main()
