"""The main thread waits for a writer that needs the lock which the main thread holds."""

import threading

guard = threading.RLock()
rows = []


def write_rows():
    for row in range(1000):
        guard.acquire()  # <- cause
        try:
            rows.append(row)
        finally:
            guard.release()


with guard:
    writer = threading.Thread(target=write_rows, name="writer")
    writer.start()
    writer.join()
print(len(rows))
