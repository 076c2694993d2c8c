"""A worker that was forked after TensorFlow had started, and crashes for a reason of its own, far from TensorFlow."""

import ctypes
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import tensorflow as tf


def decode(row):
    return ctypes.string_at(row)  # <- cause


if __name__ == "__main__":
    print(float(tf.reduce_sum(tf.ones((64, 64)))))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        print(pool.submit(decode, 16).result())
