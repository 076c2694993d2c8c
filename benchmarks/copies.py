"""What the trials before a report cost, and how often they tell.

    python benchmarks/copies.py                        12 failing programs of tests/others, two pairs each
    python benchmarks/copies.py --programs 40 --seed 3 --pairs 3

Runs each program under `whydied run` with and without its trials (`--no-trials`), one after the other, and prints the
time from the program's end to ours, and what the trials said of the first change: a ratio would mean little, because
most of that time is a trial or none. Saves all of it as JSON below benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from corpus import Case, load
from trial import run
from whydied.report.summary import from_json

HERE = Path(__file__).resolve().parent
OTHERS = HERE.parent / "tests" / "others"
_SPECIAL = ("memory_limit", "timeout", "command", "module", "signal", "small_disk", "options")


class Measured(NamedTuple):
    """`waits_s` are from the end of the program to the end of `whydied run`, its own start included."""

    program: str
    with_s: list[float]
    without_s: list[float]
    verdict: str
    after: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = [case for case in load(OTHERS) if _is_plain(case)]
    random.Random(options.seed).shuffle(chosen)
    found: list[Measured] = []
    print(f"{'program':38} {'without':>8} {'with':>8}  what the trials said")
    for case in chosen[: options.programs]:
        one = _measured(case, options.pairs)
        if one is not None:
            found.append(one)
            middle = [statistics.median(times) for times in (one.without_s, one.with_s)]
            print(f"{one.program:38} {middle[0]:7.1f}s {middle[1]:7.1f}s  {one.verdict} {one.after}", flush=True)
    more = [statistics.median(one.with_s) - statistics.median(one.without_s) for one in found]
    told = sum(one.verdict == "proved" for one in found)
    if found:
        print(f"{len(found)} programs: {statistics.median(more):+.1f} s (most {max(more):+.1f} s); {told} proved")
    print(f"saved as {_save(found)}")
    return 0


def _is_plain(case: Case) -> bool:
    return not case.expected.healthy and not any(getattr(case.expected, name, None) for name in _SPECIAL)


def _measured(case: Case, pairs: int) -> Measured | None:
    times: dict[bool, list[float]] = {True: [], False: []}
    verdict = after = ""
    for _ in range(pairs):
        for tries in (False, True):
            with tempfile.TemporaryDirectory(prefix="whydied-copies-") as scratch:
                trial = run(case, Path(scratch), trials=tries)
            if trial.report is None:
                return None
            report = from_json(trial.report)
            times[tries].append(trial.wall_s - (report.run.wall_s or 0.0))
            if tries and report.fixes:
                verdict = report.fixes[0].verdict
                told = report.fixes[0].after
                after = str(told.get("words", "")) if isinstance(told, dict) else ""
    return Measured(case.name, times[True], times[False], verdict or "nothing", after)


def _save(found: list[Measured]) -> Path:
    directory = HERE / "results"
    directory.mkdir(exist_ok=True)
    path = directory / f"copies-{time.strftime('%Y%m%d-%H%M%S')}.json"
    path.write_text(json.dumps([one._asdict() for one in found], indent=1))
    return path


if __name__ == "__main__":
    sys.exit(main())
