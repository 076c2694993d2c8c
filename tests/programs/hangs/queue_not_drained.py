"""Waits for processes to end that still have items to hand over."""

import multiprocessing


class Shard(multiprocessing.Process):
    def __init__(self, results, rows):
        super().__init__()
        self.results, self.rows = results, rows

    def run(self):
        for _ in range(self.rows):
            self.results.put("row" * 1000)


if __name__ == "__main__":
    results = multiprocessing.Queue()
    shards = [Shard(results, 200) for _ in range(2)]
    for shard in shards:
        shard.start()
    for shard in shards:
        shard.join()  # <- cause
    print(results.qsize())
