"""Writes a checkpoint to a disk that is too small for it."""

import os
from pathlib import Path

target = Path(os.environ["SMALL_DISK"]) / "checkpoint.bin"


def save(blocks):
    with target.open("wb") as file:
        for _ in range(blocks):
            file.write(bytes(1 << 16))  # <- cause


save(64)
