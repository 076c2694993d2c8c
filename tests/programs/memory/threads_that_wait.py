"""One more thread for each request, each with its own data, and none of them ever ends."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import threading

import numpy as np
import tensorflow as tf

stop = threading.Event()
ready = threading.Semaphore(0)


def serve(request):
    rows = np.full((2000, 1000), float(request))  # <- cause
    tf.reduce_mean(rows[:2])
    ready.release()
    stop.wait()


def main():
    for request in range(100_000):
        thread = threading.Thread(target=serve, args=(request,), daemon=True)
        thread.start()
        ready.acquire()
        print("held", (request + 1) * 2000 * 1000 * 8, flush=True)


main()
