"""Runs the programs of the corpus and stores their recordings below tests/recordings/, with what is said of each.

    python scripts/record_corpus.py --jobs 2            all of them: half an hour and more
    python scripts/record_corpus.py --only 'memory/*'   those whose names match; may be given several times
    python scripts/record_corpus.py --missing           those that have no recording or were edited since

A recording is kept when the diagnosis of it, read back, is right and says what the live one said; of one that is not
right within the attempts the former one stays, and its name is printed. Programs run in a directory whose name says
nothing of this machine.
Exit status 0 when all were kept, 1 when not, 2 when nothing could be recorded.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import neutral
import outcomes
import recordings
from corpus import Case, load, matching
from trial import run
from verdict import judge
from whydied.places import list_runs
from whydied.report.summary import from_json

LONGEST_S = 180.0


class Attempt(NamedTuple):
    """`line` is that of the table of outcomes; None where no recording was kept, and `problems` say why."""

    name: str
    line: str | None
    size_bytes: int
    problems: tuple[str, ...]


def main() -> int:
    options = _parser().parse_args()
    chosen = matching(load(recordings.PROGRAMS), options.only)
    if options.missing:
        fresh = {one.verdict.case.name for one in outcomes.outcomes(chosen) if not _is_stale(one)}
        chosen = [case for case in chosen if case.name not in fresh]
    lacking = [case for case in chosen if case.lacking()]
    wanted = {case.name: case for case in chosen if not case.lacking()}
    if not wanted:
        print("record_corpus: nothing to record", file=sys.stderr)
        return 2
    with _neutral_place() as place, ThreadPoolExecutor(max(1, options.jobs)) as pool:
        cases = [case for case in load(place) if case.name in wanted]
        attempts = list(pool.map(lambda case: _record(case, wanted[case.name], options.attempts), cases))
    _store_table(attempts)
    return _print(attempts, lacking)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Record the programs of the corpus anew.")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only names that match, like 'memory/*'")
    parser.add_argument("--missing", action="store_true", help="only those without a recording of the present program")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default 1)")
    parser.add_argument("--attempts", type=int, default=3, help="runs of a program until one is right (default 3)")
    return parser


def _is_stale(outcome: outcomes.Outcome) -> bool:
    return outcomes.STALE.format(name=outcome.verdict.case.name) in outcome.verdict.problems


@contextlib.contextmanager
def _neutral_place() -> Iterator[Path]:
    """The corpus at a path that is the same on every machine, for the time of the block and for one of us at a time."""
    with open(f"{neutral.PLACE}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another one that uses {neutral.PLACE}", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(neutral.PLACE, ignore_errors=True)
        shutil.copytree(recordings.PROGRAMS, neutral.PLACE, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            yield neutral.PLACE
        finally:
            shutil.rmtree(neutral.PLACE, ignore_errors=True)


def _record(case: Case, truth: Case, attempts: int) -> Attempt:
    """Run a case of the neutral place until its recording is right; `truth` is the same case of the repository."""
    attempt = Attempt(case.name, None, 0, ("was not tried",))
    for number in range(attempts):
        scratch = neutral.PLACE / ".trials" / case.name.replace("/", "-")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        attempt = _attempt(case, truth, scratch)
        mark = "kept " if attempt.line else "WRONG"
        print(f"{mark} {case.name:<40} {attempt.size_bytes:8,} bytes", flush=True)
        for problem in attempt.problems:
            print(f"      {problem}", flush=True)
        shutil.rmtree(scratch, ignore_errors=True)
        if attempt.line is not None:
            break
        print(f"      attempt {number + 1} of {attempts}", flush=True)
    return attempt


def _attempt(case: Case, truth: Case, scratch: Path) -> Attempt:
    trial = run(case, scratch, longest_s=LONGEST_S)
    live = judge(case, trial)
    runs = list_runs(scratch / "runs")
    if not live.right or len(runs) != 1:
        return Attempt(case.name, None, 0, live.problems or (f"there are {len(runs)} runs",))
    data = recordings.pack(runs[0], trial)
    if found := recordings.leaks(data):
        return Attempt(case.name, None, len(data), (f"the recording holds {', '.join(found)}",))
    outcome = outcomes.outcome_of(truth, data)
    problems = tuple(f"read back: {problem}" for problem in outcome.verdict.problems)
    assert trial.report is not None
    said = neutral.text(outcomes.line_of(case.name, from_json(trial.report)))
    if said != outcome.line:
        # The diagnosis depends on something that is not in the recording, or that was made neutral.
        problems += (f"live:      {said}", f"read back: {outcome.line}")
    if problems:
        return Attempt(case.name, None, len(data), problems)
    target = recordings.path_of(case.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return Attempt(case.name, outcome.line, len(data), ())


def _store_table(attempts: list[Attempt]) -> None:
    lines = {name: line for name, line in outcomes.table_lines().items() if recordings.path_of(name).exists()}
    outcomes.write_table(lines | {one.name: one.line for one in attempts if one.line is not None})


def _print(attempts: list[Attempt], lacking: list[Case]) -> int:
    wrong = [one for one in attempts if one.line is None]
    sizes = [one.size_bytes for one in attempts if one.line is not None]
    print(f"\n{len(sizes)} recordings kept, {sum(sizes):,} bytes, the largest {max(sizes, default=0):,}")
    for case in lacking:
        print(f"not recorded: {case.name} (needs {case.lacking()})")
    for one in wrong:
        print(f"not right: {one.name}: {'; '.join(one.problems)}")
    return 1 if wrong or lacking else 0


if __name__ == "__main__":
    sys.exit(main())
