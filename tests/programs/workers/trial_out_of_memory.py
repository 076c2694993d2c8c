"""A search that gives up a trial which does not fit into memory, and goes on: that is how it is meant."""

import multiprocessing


def trial(size):
    kept = [bytearray(b"t" * 1_000_000) for _ in range(size)]
    print("trial", size, "kept", len(kept), flush=True)


if __name__ == "__main__":
    best = 0
    for size in (50, 100, 800):
        process = multiprocessing.Process(target=trial, args=(size,))
        process.start()
        process.join()
        if process.exitcode == 0:
            best = size
    print("the largest that fits:", best)
