import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

STEPS = 60
RATE = 0.05


def sample_mixture(n, seed):
    """Draw points from three known Gaussians with unknown proportions."""
    rng = np.random.default_rng(seed)
    centers = np.array([-3.0, 0.5, 4.0])
    true_share = np.array([0.6, 0.3, 0.1])
    which = rng.choice(3, size=n, p=true_share)
    points = centers[which] + rng.normal(scale=0.7, size=n)
    return points.astype("float32"), centers.astype("float32")


def component_density(points, centers, scale=0.7):
    z = (points[:, None] - centers[None, :]) / scale
    return np.exp(-0.5 * z * z) / (scale * np.sqrt(2.0 * np.pi))


def negative_log_likelihood(free, density):
    share = tf.nn.softmax(free)
    per_point = tf.reduce_sum(density * share, axis=1)
    return -tf.reduce_mean(tf.math.log(per_point))


def estimate(density):
    free = tf.Variable(tf.zeros([3]), name="free_shares")
    optimizer = tf.compat.v1.train.AdamOptimizer(RATE)

    cost = negative_log_likelihood(free, density)  # <- cause
    loss = lambda: cost  # <- cause

    trace = []
    for step in range(STEPS):
        optimizer.minimize(loss, var_list=[free])
        trace.append(float(negative_log_likelihood(free, density)))
        if step % 20 == 0:
            print("step %3d  nll %.4f" % (step, trace[-1]))
    return tf.nn.softmax(free).numpy(), trace


def main():
    points, centers = sample_mixture(800, seed=11)
    density = tf.constant(component_density(points, centers), dtype=tf.float32)
    share, trace = estimate(density)
    print("estimated shares:", np.round(share, 3))
    print("final nll: %.4f" % trace[-1])


if __name__ == "__main__":
    main()
