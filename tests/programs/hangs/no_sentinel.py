"""The main thread waits for consumers that nobody tells to end."""

import queue
import threading

tasks: "queue.Queue[int]" = queue.Queue()
sums = []


def consume():
    while True:
        task = tasks.get()  # <- cause
        if task is None:
            return
        sums.append(task * task)


workers = [threading.Thread(target=consume, name=f"consumer-{n}") for n in range(2)]
for worker in workers:
    worker.start()
for number in range(10):
    tasks.put(number)
for worker in workers:
    worker.join()
print(sum(sums))
