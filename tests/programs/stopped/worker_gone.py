"""The kernel kills a reader for lack of memory; the parent goes on waiting for its rows."""

import multiprocessing
import os
import sys


def read(part, rows):
    """Decodes a part of the data; the second one is far larger than the others."""
    kept = []
    for number in range(200_000 if part == 1 else 20):
        kept.append(os.urandom(200_000))  # <- cause
        if number % 10 == 9:
            rows.put((part, number, len(kept[-1])))


def main(wait_s):
    context = multiprocessing.get_context("fork")
    rows = context.Queue()
    readers = [context.Process(target=read, args=(part, rows), daemon=True) for part in range(3)]
    for reader in readers:
        reader.start()
    readers[1].join(0.1)
    print("ready", os.getpid(), flush=True)
    done = set()
    while len(done) < 3:
        part, number, _ = rows.get(timeout=wait_s)
        if number == (199_999 if part == 1 else 19):
            done.add(part)
    print("all parts read")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else None)
