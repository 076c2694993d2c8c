"""Two threads, two locks, taken in opposite order."""

import threading

first, second = threading.Lock(), threading.Lock()
both_hold_one = threading.Barrier(2)


def take(one, other):
    with one:
        both_hold_one.wait()
        with other:  # <- cause
            print("never printed")


helper = threading.Thread(target=take, args=(second, first), daemon=True)
helper.start()
take(first, second)
