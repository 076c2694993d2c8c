"""A generator is handed to a process that is spawned."""

import multiprocessing


def sweeps(count):
    yield from range(count)


def pump(source):
    print(sum(source))


if __name__ == "__main__":
    import tensorflow as tf

    tf.constant(0)
    source = sweeps(8)
    process = multiprocessing.get_context("spawn").Process(target=pump, args=(source,))  # <- cause
    process.start()
    process.join()
