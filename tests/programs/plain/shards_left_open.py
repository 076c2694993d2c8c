"""Reads the shards of a data set through objects that keep their file open."""

import resource
from pathlib import Path

import numpy as np

SHARDS = 400


class Shard:
    def __init__(self, path):
        self.stream = path.open("rb")

    def rows(self):
        self.stream.seek(0)
        return np.load(self.stream)


class Reader:
    def __init__(self, folder):
        self.folder = folder
        self.shards = {}

    def read(self, number):
        name = f"shard-{number:03}.npy"
        if name not in self.shards:
            self.shards[name] = Shard(self.folder / name)  # <- cause
        return self.shards[name].rows()


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))
    folder = Path("shards")
    folder.mkdir()
    for number in range(SHARDS):
        np.save(folder / f"shard-{number:03}.npy", np.arange(12.0))
    reader = Reader(folder)
    print(sum(reader.read(number).sum() for number in range(SHARDS)))


main()
