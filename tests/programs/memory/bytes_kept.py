"""Plain Python: a cache that never forgets."""

import os

cache = {}


def remember(key):
    cache[key] = os.urandom(1 << 20)  # <- cause


key = 0
while True:
    remember(key)
    key += 1
