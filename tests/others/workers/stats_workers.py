"""Threads read tensors for the training and the validation, and count them after each epoch."""

import os
import tempfile
import threading
import time
from queue import Queue

import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.random.set_seed(0)


class TensorWorker(threading.Thread):
    """Reads its share of the files over and over and hands out batches."""

    def __init__(self, paths, batch_size, out, stats):
        super().__init__(daemon=True)
        self.paths, self.batch_size, self.out, self.stats = paths, batch_size, out, stats
        self.go = threading.Semaphore(0)

    def run(self):
        while True:
            self.go.acquire()
            self.one_epoch()

    def one_epoch(self):
        count = 0
        for start in range(0, len(self.paths), self.batch_size):
            rows = [np.load(path) for path in self.paths[start:start + self.batch_size]]
            x = np.stack([row[:-1] for row in rows])
            y = np.array([row[-1] for row in rows])
            self.out.put((x, y))
            count += len(rows)
        self.stats.put(count)


class TensorGenerator:
    def __init__(self, paths, batch_size, num_workers, name):
        self.paths, self.batch_size, self.name = paths, batch_size, name
        self.num_workers = num_workers  # <- cause
        self.stats_q = Queue()
        self.batches = Queue(8)
        self.steps = len(paths) // batch_size
        shares = max(num_workers, 1)
        self.workers = [
            TensorWorker(paths[i::shares], batch_size, self.batches, self.stats_q) for i in range(shares)
        ]
        for worker in self.workers:
            worker.start()

    def epoch(self):
        for worker in self.workers:
            worker.go.release()
        for _ in range(self.steps):
            yield self.batches.get()
        self._on_epoch_end()

    def _on_epoch_end(self):
        while self.stats_q.qsize() != self.num_workers:  # <- cause
            time.sleep(0.05)
        seen = sum(self.stats_q.get() for _ in range(self.num_workers))
        print(f"{self.name}: {seen} tensors in this epoch", flush=True)


def write_tensors(folder, count):
    rng = np.random.default_rng(0)
    for number in range(count):
        row = rng.standard_normal(33).astype("float32")
        row[-1] = row[:4].sum()
        np.save(os.path.join(folder, f"{number:04d}.npy"), row)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def train(model, generate_train, generate_valid, epochs):
    for epoch in range(epochs):
        losses = [float(model.train_on_batch(x, y)) for x, y in generate_train.epoch()]
        print("epoch", epoch, "loss", np.mean(losses), flush=True)
        losses = [float(model.test_on_batch(x, y)) for x, y in generate_valid.epoch()]
        print("epoch", epoch, "validation", np.mean(losses), flush=True)


def main(num_workers=1):
    with tempfile.TemporaryDirectory() as folder:
        paths = write_tensors(folder, 240)
        generate_train = TensorGenerator(paths[:200], 20, num_workers, "train")
        generate_valid = TensorGenerator(paths[200:], 20, num_workers // 2, "valid")  # <- cause
        model = keras.Sequential([keras.layers.Input((32,)), keras.layers.Dense(16, activation="relu"),
                                  keras.layers.Dense(1)])
        model.compile("adam", "mse")
        train(model, generate_train, generate_valid, 1)
    print("finished")


if __name__ == "__main__":
    main()
