"""A program that does without a package that is not there."""

import sys

sys.modules["sklearn"] = None
try:
    from sklearn.model_selection import train_test_split
except ImportError:
    train_test_split = None


def split(values, share):
    if train_test_split is not None:
        return train_test_split(values, test_size=share)
    cut = int(len(values) * (1 - share))
    return values[:cut], values[cut:]


print(*map(len, split(list(range(100)), 0.2)))
