"""A worker was killed and started again long before somebody presses Ctrl-C."""

import multiprocessing
import os
import signal
import time


def work(dies):
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    attempts = 0
    while True:
        attempts += 1
        worker = multiprocessing.Process(target=work, args=(attempts == 1,))
        worker.start()
        worker.join()
        if worker.exitcode == 0:
            break
    print("ready", os.getpid(), flush=True)
    while True:
        time.sleep(0.02)
