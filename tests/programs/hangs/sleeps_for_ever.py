"""Waits for something that never comes."""

import time


def wait_for_lock():
    while True:
        time.sleep(0.5)  # <- cause


wait_for_lock()
