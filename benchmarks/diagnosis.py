"""How often whydied is right: runs every program of a directory and compares its report with the truth.

    python benchmarks/diagnosis.py          the project's own programs
    python benchmarks/diagnosis.py DIR…     other ones; corpus.py describes the file beside each
    python benchmarks/diagnosis.py --programs DIR --only 'mem*'
    python benchmarks/diagnosis.py --repeat 5 --keep DIR    how steady it is, and the recordings of what went wrong

Prints each wrong case, accuracy by kind, false alarms and a table of confusions, with `--repeat` also how often each
program was right (with its 95 % interval) and how far its bytes lie apart, and saves all of it as JSON below
benchmarks/results/. A death by the kernel is an experiment: what is wrong more than once in 20 is a defect. Exit status
0 when every program is right as often as that, 1 when not, 2 when it could not be asked.
"""

from __future__ import annotations

import argparse
import fnmatch
import math
import platform
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from corpus import Case, ExpectationError, load
from trial import run
from verdict import Verdict, judge

HERE = Path(__file__).resolve().parent
OWN_PROGRAMS = HERE.parent / "tests" / "programs"
SPREADS_SHOWN = 20
TOLERATED = 1 / 20
"""A program that is wrong more often than this has a defect; what is wrong less often may be the machine's doing."""


def main() -> int:
    options = _parser().parse_args()
    directories = [*options.directories, *options.programs] or [OWN_PROGRAMS]
    try:
        cases = list(_chosen(directories, options.only))
    except ExpectationError as error:
        print(f"diagnosis: {error}", file=sys.stderr)
        return 2
    if not cases:
        print("diagnosis: no program with an .expect.toml beside it was found", file=sys.stderr)
        return 2
    skipped = [case for case in cases if case.lacking()]
    asked = [case for case in cases if not case.lacking()] * max(1, options.repeat)
    verdicts = list(_verdicts(asked, options.jobs, options.longest, options.keep))
    _print(verdicts, skipped)
    defects = _print_misses(verdicts)
    _print_spread(verdicts)
    print(f"saved as {_save(verdicts, skipped)}")
    return 1 if defects else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compare whydied's diagnoses with the truth.")
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", help="directories of programs")
    parser.add_argument("--programs", action="append", default=[], type=Path, metavar="DIR", help="one more directory")
    parser.add_argument("--only", metavar="PATTERN", help="only names that match, like 'memory/*'")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default 1)")
    parser.add_argument("--longest", type=float, default=120.0, help="seconds that one program may take (default 120)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="run all of them N times (default 1)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what the wrong ones left below DIR")
    return parser


def _chosen(directories: Iterable[Path], only: str | None) -> Iterator[Case]:
    for directory in directories:
        if not directory.is_dir():
            raise ExpectationError(f"{directory} is no directory")
        for case in load(directory.resolve()):
            if only is None or fnmatch.fnmatch(case.name, only) or fnmatch.fnmatch(Path(case.name).name, only):
                yield case


def _verdicts(cases: list[Case], jobs: int, longest_s: float, keep: Path | None) -> Iterator[Verdict]:
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        for verdict in pool.map(lambda case: _attempt(case, longest_s, keep), cases):
            mark = "ok   " if verdict.right else "WRONG"
            off = f"{verdict.bytes_off:+7.1%}" if verdict.bytes_off is not None else ""
            print(f"{mark} {verdict.case.name:<36} {verdict.cause:<24} {verdict.wall_s:6.1f} s {off}", flush=True)
            for problem in verdict.problems:
                print(f"      {problem}", flush=True)
            yield verdict


def _attempt(case: Case, longest_s: float, keep: Path | None) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="whydied-diagnosis-") as scratch:
        verdict = judge(case, run(case, Path(scratch).resolve(), longest_s=longest_s))
        if keep is not None and not verdict.right:
            shutil.copytree(scratch, keep / f"{case.name.replace('/', '-')}-{time.time_ns()}", symlinks=True)
        return verdict


def _print(verdicts: list[Verdict], skipped: list[Case]) -> None:
    failing = [v for v in verdicts if not v.case.expected.healthy]
    healthy = [v for v in verdicts if v.case.expected.healthy]
    print()
    _rate("all right (failing programs)", [v.right for v in failing])
    for words, answers in (
        ("cause right", [v.family_right for v in failing]),
        ("line right", [v.line_right for v in failing]),
        ("culprit right", [v.culprit_right for v in failing]),
        ("bytes right", [v.bytes_right for v in failing]),
    ):
        _rate(words, [answer for answer in answers if answer is not None])
    _rate("false alarms (healthy programs)", [v.false_alarm for v in healthy])
    _rate("all right (healthy programs)", [v.right for v in healthy])
    print(f"{'time':<34}{sum(v.wall_s for v in verdicts):8.1f} s")
    _print_groups("family", failing, lambda v: v.case.name.partition("/")[0])
    _print_groups("certainty", failing, lambda v: v.certainty or "no cause")
    for case in skipped:
        print(f"skipped: {case.name} (needs {case.lacking()})")
    confusions = Counter(
        (v.case.label, v.cause) for v in verdicts if v.false_alarm or v.family_right is False or v.cause == "no report"
    )
    if confusions:
        print("\nexpected -> told")
    for (wanted, told), count in confusions.most_common():
        print(f"  {count:3} x {wanted} -> {told}")


def _print_groups(title: str, failing: list[Verdict], group: Callable[[Verdict], str]) -> None:
    """All right, and cause and line apart, for each group."""
    print(f"\n{title:<24}{'all right':>12}{'cause':>12}{'line':>12}")
    for name in sorted({group(verdict) for verdict in failing}):
        own = [verdict for verdict in failing if group(verdict) == name]
        asked: list[list[bool | None]] = [
            [v.right for v in own],
            [v.family_right for v in own],
            [v.line_right for v in own],
        ]
        shares = [f"{answers.count(True)} of {len(answers) - answers.count(None)}" for answers in asked]
        print(f"  {name:<22}" + "".join(f"{share:>12}" for share in shares))


def _print_misses(verdicts: list[Verdict]) -> int:
    """The programs that were not always right, each with its rate; how many of them have a defect."""
    answers: dict[str, list[bool]] = {}
    for verdict in verdicts:
        answers.setdefault(verdict.case.name, []).append(verdict.right)
    missed = {name: right for name, right in answers.items() if not all(right)}
    if missed:
        print("\nright, with the 95 % interval of the rate")
    for name, right in sorted(missed.items(), key=lambda one: sum(one[1]) / len(one[1])):
        low, high = interval(sum(right), len(right))
        print(f"  {sum(right):3} of {len(right):3}  {low:4.0%} to {high:4.0%}  {name}")
    return sum(right.count(False) > TOLERATED * len(right) for right in missed.values())


def interval(right: int, tries: int) -> tuple[float, float]:
    """Wilson's interval of a rate, which also holds for few tries and for rates near 1."""
    z, rate = 1.96, right / tries
    middle = rate + z * z / (2 * tries)
    half = z * math.sqrt(rate * (1 - rate) / tries + z * z / (4 * tries * tries))
    scale = 1 + z * z / tries
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def _print_spread(verdicts: list[Verdict]) -> None:
    """The programs whose bytes differ most from run to run, where there were several."""
    told: dict[str, list[float]] = {}
    for verdict in verdicts:
        if verdict.bytes_off is not None:
            told.setdefault(verdict.case.name, []).append(verdict.bytes_off)
    spreads = sorted(
        ((min(off), max(off), name) for name, off in told.items() if len(off) > 1),
        key=lambda spread: spread[0] - spread[1],
    )
    if spreads:
        print("\nbytes told against the truth, least steady first")
    for low, high, name in spreads[:SPREADS_SHOWN]:
        print(f"  {low:+7.1%} to {high:+7.1%}  {name}")


def _rate(words: str, answers: list[bool]) -> None:
    if answers:
        print(f"{words:<34}{sum(answers):4} of {len(answers):3}  {100 * sum(answers) / len(answers):5.1f} %")


def _save(verdicts: list[Verdict], skipped: list[Case]) -> Path:
    target = HERE / "results" / f"diagnosis-{time.strftime('%Y%m%d-%H%M%S')}.json"
    target.parent.mkdir(exist_ok=True)
    rows = [
        {
            "name": v.case.name,
            "expected": v.case.label,
            "cause": v.cause,
            "right": v.right,
            "family_right": v.family_right,
            "line_right": v.line_right,
            "culprit_right": v.culprit_right,
            "bytes_right": v.bytes_right,
            "bytes_off": v.bytes_off,
            "false_alarm": v.false_alarm,
            "certainty": v.certainty,
            "problems": v.problems,
            "wall_s": round(v.wall_s, 2),
        }
        for v in verdicts
    ]
    facts = {
        "python": platform.python_version(),
        "system": platform.system(),
        "skipped": [c.name for c in skipped],
    }
    target.write_bytes(msgspec.json.format(msgspec.json.encode({**facts, "cases": rows})) + b"\n")
    return target


if __name__ == "__main__":
    sys.exit(main())
