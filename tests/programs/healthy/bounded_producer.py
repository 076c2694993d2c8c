import queue
import threading
import time

import numpy as np

waiting = queue.Queue(4)


def produce():
    for number in range(60):
        waiting.put(np.full((200, 5000), number, "float32"))


threading.Thread(target=produce, daemon=True).start()
for _ in range(60):
    waiting.get().mean()
    time.sleep(0.01)
