"""A process that is spawned makes its generator itself."""

import multiprocessing


def sweeps(count):
    yield from range(count)


def pump(source):
    print(sum(sweeps(source)))


if __name__ == "__main__":
    import tensorflow as tf

    tf.constant(0)
    source = 8
    process = multiprocessing.get_context("spawn").Process(target=pump, args=(source,))
    process.start()
    process.join()
