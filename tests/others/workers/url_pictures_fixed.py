import concurrent.futures
import os
import threading
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np

SIDE, TARGET, WORKERS, PICTURES = 700, 64, 2, 300


class Downloader:
    """Gives the bytes of pictures as fast as the net brings them."""

    def __init__(self, count):
        self.count = count

    def pictures(self):
        for number in range(self.count):
            time.sleep(0.002)
            yield number, np.full((SIDE, SIDE, 3), number % 255, "uint8")


def shrink(number, picture):
    step = SIDE // TARGET
    small = picture[: TARGET * step, : TARGET * step].reshape(TARGET, step, TARGET, step, 3).mean((1, 3))
    time.sleep(0.05)
    return number, small.astype("float32") / 255


class Store:
    def __init__(self):
        self.sum, self.count = np.zeros((TARGET, TARGET, 3)), 0

    def add(self, small):
        self.sum += small
        self.count += 1


def run():
    store = Store()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as executor:
        waiting, room = [], threading.Semaphore(8)
        for number, picture in Downloader(PICTURES).pictures():
            room.acquire()
            task = executor.submit(shrink, number, picture)
            task.add_done_callback(lambda _: room.release())
            waiting.append(task)
        for done in concurrent.futures.as_completed(waiting):
            store.add(done.result()[1])
    return store.sum / store.count


print("mean", run().mean())
