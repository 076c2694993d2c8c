"""A worker process is killed for its memory; its parent only hears that the pool broke."""

from concurrent.futures import ProcessPoolExecutor


def expand(rows):
    kept = []
    for row in range(rows):
        kept.append(bytearray(b"x" * (1 << 20)))  # <- cause
    return len(kept)


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(expand, 10**6).result())  # <- cause
