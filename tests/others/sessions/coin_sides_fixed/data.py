import numpy as np


def load_coins(n=200, seed=3):
    rng = np.random.RandomState(seed)
    label = rng.randint(0, 2, n)
    img = rng.rand(n, 16, 16, 1).astype(np.float32) * 0.5
    for i, l in enumerate(label):
        size = 4 if l == 0 else 8
        img[i, 8 - size // 2:8 + size // 2, 8 - size // 2:8 + size // 2] += 0.5
    return img, label.astype(np.int64)


def batches(img, label, size):
    for start in range(0, len(img), size):
        yield img[start:start + size], label[start:start + size]
