"""Two caches that fill to their bound and then let the oldest go: lru_cache, and an OrderedDict by bytes."""

from collections import OrderedDict
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=12)
def spectrum(number):
    return np.abs(np.fft.rfft(np.random.default_rng(number).random(1_000_000)))


class Features:
    def __init__(self, limit):
        self.limit, self.size, self.kept = limit, 0, OrderedDict()

    def get(self, key):
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        value = np.log1p(spectrum(key))
        self.kept[key] = value
        self.size += value.nbytes
        while self.size > self.limit:
            self.size -= self.kept.popitem(last=False)[1].nbytes
        return value


features = Features(60_000_000)
total = sum(features.get(key % 40)[3] for key in range(120))
print("kept", len(features.kept), spectrum.cache_info().currsize, total > 0)
