"""Whether the report is made where whydied and the program share one memory limit, as in every container.

    python benchmarks/shared_group.py              30 programs that run out of memory
    python benchmarks/shared_group.py --most 5 --only 'leaks/*'

Each program runs out of memory in a control group that holds `whydied run` too. Printed are what became of whydied and
of its report, and whether the report is right; saved as JSON below benchmarks/results/. Needs root. Exit status 0 when
every run has its report.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from corpus import Case, load
from trial import run
from verdict import judge
from whydied.config import parse_memory_limit
from whydied.run.observe import limits

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "tests" / "programs"


class Shared(NamedTuple):
    name: str
    status: int | None
    has_report: bool
    problems: list[str]
    wall_s: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=30, help="how many programs (default: %(default)s)")
    parser.add_argument("--only", default="*", help="programs that match this pattern")
    options = parser.parse_args()
    cases = [case for case in load(PROGRAMS) if _is_killed(case) and fnmatch.fnmatch(case.name, options.only)]
    found = [_tried(case) for case in cases[: options.most]]
    if not found:
        print("shared_group: no program that runs out of memory was found", file=sys.stderr)
        return 2
    reported = sum(one.has_report for one in found)
    print(f"{reported} of {len(found)} have a report, {sum(not one.problems for one in found)} of them are right")
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    saved = results / f"shared_group-{time.strftime('%Y%m%d-%H%M%S')}.json"
    saved.write_bytes(msgspec.json.format(msgspec.json.encode([one._asdict() for one in found])))
    print(f"saved as {saved.relative_to(HERE.parent)}")
    return 0 if reported == len(found) else 1


def _is_killed(case: Case) -> bool:
    return case.expected.memory_limit is not None and case.expected.death == "host-oom-kill" and not case.lacking()


def _tried(case: Case) -> Shared:
    limit = limits.wanted_limit(parse_memory_limit(case.expected.memory_limit or ""), f"shared-{time.time_ns()}")
    if limit.made is None:
        sys.exit(f"shared_group: no control group can be made here: {limit.reason}")
    try:
        with tempfile.TemporaryDirectory(prefix="wd-") as scratch:
            trial = run(case, Path(scratch), group=Path(limit.made.path))
            problems = judge(case, trial).problems
    finally:
        limits.remove_group(limit.made)
    done = Shared(case.name, trial.status, trial.report is not None, list(problems), trial.wall_s)
    word = "report" if done.has_report else "NO REPORT"
    print(f"{done.name:45} status {done.status!s:5} {word:9} {'; '.join(done.problems)}", flush=True)
    return done


if __name__ == "__main__":
    sys.exit(main())
