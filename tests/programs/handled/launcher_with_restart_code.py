"""A launcher that starts its worker again as long as that ends with the status that asks for it."""

import os
import subprocess
import sys

RESTART = 87


def worker(number):
    if number < 3:
        print("worker", number, "asks for a restart", flush=True)
        sys.exit(RESTART)
    print("worker", number, "is done", flush=True)


def launch():
    number = 0
    while True:
        number += 1
        process = subprocess.Popen([sys.executable, os.path.abspath(__file__), str(number)])
        status = process.wait()
        if status != RESTART:
            return status


if __name__ == "__main__":
    if len(sys.argv) > 1:
        worker(int(sys.argv[1]))
    else:
        sys.exit(launch())
