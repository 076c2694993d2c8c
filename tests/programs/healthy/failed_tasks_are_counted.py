"""Threads whose tasks fail: the program asks each for its result and counts those that failed."""

from concurrent.futures import ThreadPoolExecutor


def parse(text):
    return int(text)


with ThreadPoolExecutor(3) as pool:
    tasks = [pool.submit(parse, text) for text in ("1", "2", "x", "4", "")]
failed = sum(task.exception() is not None for task in tasks)
print("failed", failed, "total", sum(task.result() for task in tasks if task.exception() is None))
