"""Takes census after census from a thread while the main thread calls, makes and drops things, with threads switching
as often as they can. Started by test_census_stress.py; says "survived" where nothing broke."""

from __future__ import annotations

import _thread
import sys
import time

import numpy

from whydied.inside.census import census

TURNS = 60
done = []


def look() -> None:
    census.PATIENCE_S = 1e-6
    for _ in range(TURNS):
        census.survey(census.Plan(trigger="peek", whole=True, seconds=0.05))
    done.append(True)


def deep(level: int, kept: list[object]) -> int:
    mine = [level, str(level)]
    table = {"mine": mine, level: kept[-1:]}
    if level:
        return deep(level - 1, kept) + len(table)
    return sum(1 for _ in (item for item in mine))


def main() -> None:
    sys.setswitchinterval(1e-6)
    _thread.start_new_thread(look, ())
    deadline = time.monotonic() + 60
    kept: list[object] = []
    buffer = numpy.zeros(10)
    while not done and time.monotonic() < deadline:
        # A tuple in the making breaks where anybody else has a reference to it.
        kept.append({"turn": deep(12, kept), "made": tuple([turn] for turn in range(40))})
        del kept[:-500]
        # NumPy refuses where anybody else has a reference to the array.
        buffer.resize(10 + len(kept))
    sys.stdout.write("survived\n" if done else "too slow\n")


if __name__ == "__main__":
    main()
