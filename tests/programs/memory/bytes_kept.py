"""Plain Python: a cache that never forgets."""

import os

cache = {}


def remember(key):
    cache[key] = os.urandom(1 << 20)  # <- cause


key = 0
while True:
    remember(key)
    print("held", len(cache) << 20, flush=True)
    key += 1
