"""A thread makes a tuple of all that a reader yields, while the main thread waits for it."""

import os
import threading
import zlib


class Reader:
    def __init__(self, size):
        self.size = size

    def rows(self):
        while True:
            row = os.urandom(self.size)
            yield zlib.crc32(row), row


def load(reader):
    return tuple(reader.rows())  # <- cause


def main():
    worker = threading.Thread(target=load, args=(Reader(100_000),))
    worker.start()
    worker.join()


main()
