import numpy as np

SIZE = 20


def otolith_images(per_class, n_classes, seed):
    """ring patterns, every population of fish has its own ring spacing"""
    r = np.random.RandomState(seed)
    yy, xx = np.mgrid[-1:1:SIZE * 1j, -1:1:SIZE * 1j]
    rad = np.sqrt(xx ** 2 + yy ** 2)
    images, labels = [], []
    for c in range(n_classes):
        for _ in range(per_class):
            ring = np.sin((5 + 2.5 * c) * rad + r.uniform(-.3, .3))
            images.append(ring + r.normal(0, .25, ring.shape))
            labels.append(c)
    order = r.permutation(len(labels))
    return np.array(images, np.float32)[order][..., None], np.array(labels, np.int32)[order]
