"""Two accounts are locked in opposite order; somebody sees that nothing happens and presses Ctrl-C."""

import os
import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()


checking, savings = Account(100), Account(500)
ready = threading.Barrier(2)


def transfer(source, target, amount):
    with source.lock:
        ready.wait()
        with target.lock:  # <- cause
            source.balance -= amount
            target.balance += amount


other = threading.Thread(target=transfer, args=(savings, checking, 50), daemon=True)
other.start()
print("ready", os.getpid(), flush=True)
transfer(checking, savings, 20)
