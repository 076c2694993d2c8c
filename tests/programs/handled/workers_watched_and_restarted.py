"""A monitor starts a process again whose exit code is not zero, up to a number of times, as a supervisor does."""

import multiprocessing
import os
import sys
import time


def serve(name, count):
    with count.get_lock():
        count.value += 1
        attempt = count.value
    time.sleep(0.05)
    if name == "flaky" and attempt < 3:
        os._exit(17)
    if name == "raises" and attempt < 2:
        raise ConnectionError("the broker is not there yet")
    if name == "asked":
        sys.exit(0)


class Monitor:
    def __init__(self, names, most=4):
        self.counts = {name: multiprocessing.Value("i", 0) for name in names}
        self.most = most
        self.processes = {name: self.start(name) for name in names}
        self.restarts = dict.fromkeys(names, 0)

    def start(self, name):
        process = multiprocessing.Process(target=serve, args=(name, self.counts[name]), name=name)
        process.start()
        return process

    def run(self):
        while self.processes:
            for name, process in list(self.processes.items()):
                process.join(0.05)
                if process.exitcode is None:
                    continue
                del self.processes[name]
                if process.exitcode != 0 and self.restarts[name] < self.most:
                    self.restarts[name] += 1
                    self.processes[name] = self.start(name)


if __name__ == "__main__":
    monitor = Monitor(["steady", "flaky", "raises", "asked"])
    monitor.run()
    print(monitor.restarts)
