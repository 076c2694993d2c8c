"""Gradient descent in NumPy: a step whose cost is not finite or not lower is halved, with warnings switched off."""

import numpy as np

rng = np.random.default_rng(13)
x = rng.normal(size=(500, 4)) * 50
y = np.exp(x @ np.array([0.01, -0.02, 0.005, 0.0]))


def cost_of(weights):
    with np.errstate(all="ignore"):
        return np.mean((np.exp(x @ weights) - y) ** 2)


def slope_of(weights):
    with np.errstate(all="ignore"):
        guess = np.exp(x @ weights)
        return 2 * x.T @ ((guess - y) * guess) / len(x)


weights, refused = np.zeros(4), 0
cost = cost_of(weights)
for _ in range(60):
    slope, size = slope_of(weights), 1e3
    while size > 1e-12:
        tried = cost_of(weights - size * slope)
        if np.isfinite(tried) and tried < cost:
            weights, cost = weights - size * slope, tried
            break
        refused += 1
        size /= 2
print("refused", refused > 0, "cost is finite", bool(np.isfinite(cost)))
