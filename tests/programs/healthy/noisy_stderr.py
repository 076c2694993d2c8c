"""Prints words to standard error that sound like deaths, and is well."""

import sys

for line in (
    "Killed",
    "Segmentation fault (core dumped)",
    "Traceback (most recent call last):",
    "MemoryError",
    "OOM when allocating tensor with shape[1000000,1000000]",
    "No space left on device",
    "F0000 check.cc:1] Check failed: ok",
):
    print(line, file=sys.stderr)
