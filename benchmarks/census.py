"""What a census costs in a process with millions of objects: how long the main thread stands still, and its memory.

    python benchmarks/census.py                     7 million objects in each shape
    python benchmarks/census.py --objects 1000000 --only dicts,lists

Each shape has its own process. A census is taken three times in a second thread, as `whydied peek` asks for one (both
walks), while the main thread counts: the longest time between two of its counts is the stall. "plain" is the longest
one while no census is taken: what else the machine does. "cpu" is the processor time of one census, whose two walks
stop the main thread separately. The memory is how far the peak of the process (VmHWM) rises above what was resident
before.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

BOUND_S = 0.2
BOUND_BYTES = 24 << 20
STATUS = Path("/proc/self/status")
TIMES = 3


class Thing:
    def __init__(self, number: int) -> None:
        self.number = number
        self.names: list[int] = []


class Slotted:
    __slots__ = ("below", "number")

    def __init__(self, number: int, below: Any) -> None:
        self.number = number
        self.below = below


def chain(count: int) -> Any:
    below = None
    for number in range(count):
        below = Slotted(number, below)
    return below


def cached(count: int) -> Any:
    @functools.cache
    def remember(number: int) -> list[int]:
        return [number]

    for number in range(count // 2):
        remember(number)
    return remember


def attributes(count: int) -> Any:
    space = SimpleNamespace()
    for number in range(count // 2):
        setattr(space, f"name_{number}", [number])
    return space


def tree(count: int) -> Any:
    """Ten branches at each level."""
    if count <= 10:
        return [[] for _ in range(count)]
    return [tree(count // 10) for _ in range(10)]


def arrays(count: int) -> Any:
    import numpy

    return [numpy.zeros(2, "float32") for _ in range(count)]


def tables(count: int) -> Any:
    import numpy

    made = numpy.empty(count // 2, object)
    made[:] = [[number] for number in range(count // 2)]
    return {"column": made, "list": [made for _ in range(3)], "more": [[number] for number in range(count // 2)]}


def only_in_a_library(count: int) -> Any:
    """No name of the program leads to it: a module of a library keeps it."""
    import decimal

    decimal.kept = [[number] for number in range(count)]  # type: ignore[attr-defined]


SHAPES: dict[str, Callable[[int], Any]] = {
    "rows": lambda count: [[float(row * 10 + column) for column in range(10)] for row in range(count // 11)],
    "lists": lambda count: [[] for _ in range(count)],
    "lists of lists": lambda count: [[[] for _ in range(9)] for _ in range(count // 10)],
    "few long lists": lambda count: [[[] for _ in range(count // 7)] for _ in range(7)],
    "dicts": lambda count: [{"names": []} for _ in range(count // 2)],
    "dict of dicts": lambda count: {number: {"names": [number]} for number in range(count // 2)},
    "instances": lambda count: [Thing(number) for number in range(count // 2)],
    "tuples": lambda count: [([number], [number]) for number in range(count // 3)],
    "set": lambda count: {(number, str(number)) for number in range(count // 2)},
    "deque": lambda count: deque([number] for number in range(count)),
    "texts": lambda count: {f"name {number}": f"value {number}" for number in range(count // 2)},
    "same text": lambda count: ["x" * 100_000] * count,
    "tree": tree,
    "chain": chain,
    "lru_cache": cached,
    "attributes": attributes,
    "arrays": arrays,
    "tables": tables,
    "library": only_in_a_library,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=7_000_000)
    parser.add_argument("--only", default="", help="shapes, joined by commas")
    parser.add_argument("--tensorflow", action="store_true", help="with TensorFlow and Keras imported")
    parser.add_argument("--shape", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.shape:
        print(json.dumps(measure(chosen.shape, chosen.objects, chosen.tensorflow)))
        return 0
    failed = 0
    print(f"{'shape':16} {'stall s':>8} {'plain':>7} {'cpu s':>7} {'added MiB':>10} {'counted / resident MiB':>24}")
    for name in chosen.only.split(",") if chosen.only else SHAPES:
        command = [sys.executable, __file__, "--shape", name, "--objects", str(chosen.objects)]
        command += ["--tensorflow"] if chosen.tensorflow else []
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode:
            print(f"{name:16} failed: {done.stderr.strip().splitlines()[-1:]}")
            failed += 1
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        failed += row["stall_s"] > BOUND_S or row["added_bytes"] > BOUND_BYTES
        print(
            f"{name:16} {row['stall_s']:8.3f} {row['plain_s']:7.3f} {row['cpu_s']:7.3f}"
            f" {row['added_bytes'] / 2**20:10.1f} {row['python_bytes'] / 2**20:12.0f} / {row['rss_bytes'] / 2**20:.0f}"
            f"  {row['held']}",
            flush=True,
        )
    return 1 if failed else 0


def measure(shape: str, objects: int, with_tensorflow: bool) -> dict[str, Any]:
    from whydied.inside.census import census
    from whydied.inside.process import process_memory

    if with_tensorflow:
        import keras  # noqa: F401
        import tensorflow  # noqa: F401
    gc.disable()
    kept = SHAPES[shape](objects)
    gc.enable()
    gc.collect()
    taken: list[Any] = []
    cpu_s: list[float] = []
    over = threading.Event()

    def look() -> None:
        for _ in range(TIMES):
            rss = process_memory.rss_bytes() or 0
            began = time.thread_time()
            taken.append(census.survey(census.Plan(trigger="peek", whole=True, rss_bytes=rss)))
            cpu_s.append(time.thread_time() - began)
            time.sleep(0.3)
        over.set()

    until = time.perf_counter() + 1.0
    plain_s = _longest(lambda: time.perf_counter() < until)
    before = process_memory.rss_bytes() or 0
    Path("/proc/self/clear_refs").write_text("5")
    thread = threading.Thread(target=look)
    thread.start()
    stall_s = _longest(lambda: not over.is_set())
    thread.join()
    largest = max(taken[-1].groups, key=lambda group: group.size_bytes, default=None)
    holder = largest.holders[0].path if largest is not None and largest.holders else "-"
    del kept
    return {
        "stall_s": stall_s,
        "plain_s": plain_s,
        "cpu_s": max(cpu_s),
        "added_bytes": _peak_bytes() - before,
        "python_bytes": taken[-1].python_bytes,
        "rss_bytes": before,
        "held": f"{largest.count} {largest.type} in {holder}" if largest is not None else "-",
    }


def _longest(going: Callable[[], bool]) -> float:
    longest, last = 0.0, time.perf_counter()
    while going():
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


def _peak_bytes() -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    sys.exit(main())
