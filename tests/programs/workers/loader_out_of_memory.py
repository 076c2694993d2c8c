"""A loader in a process of its own keeps all that it has read, and is killed; the trainer gives up waiting for batches."""

import multiprocessing


def load(batches):
    seen = []
    number = 0
    while True:
        seen.append(bytearray(b"r" * 8_000_000))  # <- cause
        if number < 3:
            batches.put(number)
        number += 1


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    batches = context.Queue()
    loader = context.Process(target=load, args=(batches,), daemon=True)
    loader.start()
    for step in range(10):
        batch = batches.get(timeout=5)
        print("step", step, "batch", batch, flush=True)
