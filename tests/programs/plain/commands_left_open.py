"""Starts a command for each file and reads what it prints, but never closes the pipes."""

import resource
import subprocess
import sys

FILES = 300


def size_of(name, started):
    process = subprocess.Popen(["wc", "-c", name], stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    started.append(process)  # <- cause
    return int(process.stdout.readline().split()[0])


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))
    started = []
    total = 0
    for _ in range(FILES):
        total += size_of(sys.executable, started)
    print(total)


main()
