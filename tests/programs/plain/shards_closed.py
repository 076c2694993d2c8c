"""Reads the shards of a data set, and closes each: as many files as in shards_left_open.py, one at a time."""

import resource
from pathlib import Path

import numpy as np

SHARDS = 400


class Reader:
    def __init__(self, folder):
        self.folder = folder
        self.shards = {}

    def read(self, number):
        name = f"shard-{number:03}.npy"
        if name not in self.shards:
            with (self.folder / name).open("rb") as stream:
                self.shards[name] = np.load(stream)
        return self.shards[name]


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))
    folder = Path("shards")
    folder.mkdir()
    for number in range(SHARDS):
        np.save(folder / f"shard-{number:03}.npy", np.arange(12.0))
    reader = Reader(folder)
    print(sum(reader.read(number).sum() for number in range(SHARDS)))


main()
