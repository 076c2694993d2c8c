"""The last line is reached, and a thread that is no daemon keeps the program alive."""

import queue
import threading

log = queue.SimpleQueue()


def write_log():
    while (line := log.get()) is not None:  # <- cause
        print(line)


threading.Thread(target=write_log, name="log-writer").start()
log.put("one")
log.put("two")
