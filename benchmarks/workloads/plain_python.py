"""A script without TensorFlow: objects, strings and calls for about two seconds."""

import time


def words(turns):
    counts = {}
    for number in range(turns):
        word = str(number * 7919 % 1000)
        counts[word] = counts.get(word, 0) + len(word)
    return len(counts)


words(100_000)
wall, cpu = time.perf_counter(), time.process_time()
for _ in range(20):
    words(400_000)
print("inner", time.perf_counter() - wall, time.process_time() - cpu)
