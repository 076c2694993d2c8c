import os
import queue
import threading

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

FEATURES, OUTCOMES = 6, 3


def user_batches(users, seed=1):
    """What users did in a course, one batch for each of some users, for ever."""
    draw = np.random.default_rng(seed)
    while True:
        for _ in range(users):
            rows = draw.normal(size=(16, 10, FEATURES))
            for _ in range(40):
                rows = np.sort(rows, axis=1)
            yield rows.astype("float32"), draw.integers(0, OUTCOMES, 16)


class Loader:
    """Threads that take batches from one source and queue them."""

    def __init__(self, source, workers=4, size=8):
        self.source = source
        self.queue = queue.Queue(size)
        self.stopped = threading.Event()
        self.failure = None
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self.threads:
            thread.start()

    def _work(self):
        try:
            while not self.stopped.is_set():
                self._put(next(self.source))  # <- cause
        except Exception as failure:
            self.failure = failure

    def _put(self, batch):
        while not self.stopped.is_set():
            try:
                return self.queue.put(batch, timeout=0.1)
            except queue.Full:
                continue

    def __iter__(self):
        while True:
            if self.failure is not None:
                raise self.failure
            try:
                yield self.queue.get(timeout=0.1)
            except queue.Empty:
                continue


def network():
    model = keras.Sequential([keras.Input((10, FEATURES)), keras.layers.GRU(8)])
    model.add(keras.layers.Dense(OUTCOMES, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def main(steps=60):
    model = network()
    loader = Loader(user_batches(50))
    for step, (rows, outcomes) in enumerate(loader):
        loss = model.train_on_batch(rows, outcomes)
        if step % 10 == 0:
            print("step", step, "loss", float(loss), flush=True)
        if step == steps:
            break
    loader.stopped.set()


main()
