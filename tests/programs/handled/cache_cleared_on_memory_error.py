"""A process with a bound on its address space clears its cache when an array is refused, and tries again."""

import resource

import numpy as np


class Store:
    def __init__(self):
        self.cache = {}
        self.cleared = 0

    def load(self, key):
        if key in self.cache:
            return self.cache[key]
        try:
            value = np.full((4_000_000,), key, dtype="float64")
        except MemoryError:
            self.cache.clear()
            self.cleared += 1
            value = np.full((4_000_000,), key, dtype="float64")
        self.cache[key] = value
        return value


with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 200_000_000, resource.RLIM_INFINITY))
store = Store()
total = sum(store.load(key % 9)[0] for key in range(30))
print("total", total, "cleared", store.cleared > 0)
