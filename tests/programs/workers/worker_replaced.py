"""A worker is killed, and the program does its task itself: it handles what happens to it."""

import multiprocessing
import os
import signal


def work():
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    worker = multiprocessing.Process(target=work)
    worker.start()
    worker.join()
    if worker.exitcode:
        print("done here:", sum(range(10)))
