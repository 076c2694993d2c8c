"""Waits for a task of a pool of threads while it holds the lock that the task needs."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Cache:
    def __init__(self):
        self.lock = threading.RLock()
        self.pool = ThreadPoolExecutor(2)
        self.items = {}

    def load(self, key):
        with self.lock:  # <- cause
            self.items[key] = key * 2
            return self.items[key]

    def get(self, key):
        with self.lock:
            return self.pool.submit(self.load, key).result()  # <- cause


print(Cache().get(3))
