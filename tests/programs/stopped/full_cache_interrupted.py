"""A cache has filled to its bound and takes most of the memory that may be used; nothing is wrong at Ctrl-C."""

import os
from collections import OrderedDict

import numpy as np

kept = OrderedDict()
for step in range(1_000_000):
    key = step % 70
    if key in kept:
        kept.move_to_end(key)
    else:
        kept[key] = np.random.default_rng(key).random(1_000_000)
        if len(kept) > 30:
            kept.popitem(last=False)
    if step == 150:
        print("ready", os.getpid(), flush=True)
