"""A method that takes the lock calls another one that takes it too."""

import threading


class Ledger:
    def __init__(self):
        self._lock = threading.Lock()
        self._entries = {}

    def total(self):
        with self._lock:  # <- cause
            return sum(self._entries.values())

    def add(self, name, amount):
        with self._lock:
            self._entries[name] = amount
            return self.total()


ledger = Ledger()
print(ledger.add("rent", 900))
