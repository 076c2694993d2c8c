import multiprocessing as mp

import numpy as np

BINS = 40
DONE = "done"


def sweeps(n, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        kind = int(rng.integers(2))
        sweep = rng.normal(0, 0.3, BINS).astype("float32")
        if kind:
            at = rng.integers(5, BINS - 5)
            sweep[at - 2:at + 3] += 1.5
        yield sweep, kind


def pump(source, queue, chunk):
    xs, ys = [], []
    for sweep, kind in source:
        xs.append(sweep)
        ys.append(kind)
        if len(xs) == chunk:
            queue.put((np.stack(xs), np.array(ys)))
            xs, ys = [], []
    queue.put(DONE)


class Feeder:
    def __init__(self, workers, per_worker, chunk):
        self.ctx = mp.get_context("spawn")
        self.queue = self.ctx.Queue(maxsize=8)
        self.procs = []
        for w in range(workers):
            source = sweeps(per_worker, seed=100 + w)
            p = self.ctx.Process(target=pump, args=(source, self.queue, chunk))  # <- cause
            self.procs.append(p)

    def __iter__(self):
        for p in self.procs:
            p.start()
        open_workers = len(self.procs)
        while open_workers:
            item = self.queue.get()
            if isinstance(item, str) and item == DONE:
                open_workers -= 1
                continue
            yield item
        for p in self.procs:
            p.join()


def main():
    from tensorflow import keras

    model = keras.Sequential([
        keras.Input((BINS,)),
        keras.layers.Dense(24, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(optimizer="adam", loss="binary_crossentropy")
    losses = []
    for x, y in Feeder(workers=2, per_worker=320, chunk=32):
        losses.append(float(model.train_on_batch(x, y.astype("float32").reshape(-1, 1))))
    print("batches", len(losses), "last", losses[-1])


if __name__ == "__main__":
    main()
