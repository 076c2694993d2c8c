"""Whether the advice works: applies each patch of a report to the program and runs it again.

    python benchmarks/advice.py             the project's own programs and those of other people
    python benchmarks/advice.py DIR…        programs of other directories; corpus.py describes the file beside each
    python benchmarks/advice.py --only 'shapes/*' --jobs 2

A program runs under `whydied run`, the patches of its report are applied one at a time to a copy of it, and each copy
runs as the program did. A patch is right where the program then finishes, or fails of something else: another cause, or
the same one at another statement, and not at a line that the patch itself wrote. One that ran out of memory is also
right where it runs on without a fault three times as long as it took to die. Prints what fails again, the rates by
rule, and the causes whose advice is no patch; saves all of it as JSON below benchmarks/results/. Exit status 0 when at
least nine of ten are right, 1 when not, 2 when it could not be asked.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from corpus import Case, ExpectationError, load, matching
from trial import run
from whydied.report.summary import Report, from_json

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
WANTED = 0.9
MOST_PATCHES = 3
LIVES_ON = 3.0
"""A leak whose program runs for ever once it is fixed has to be watched this many times as long as it took to die."""
SHORTEST_S, LONGEST_S = 30.0, 100.0


class Tried(NamedTuple):
    """One patch. `problem` says why it is wrong; empty where it is right."""

    program: str
    rule: str
    title: str
    patch: str
    problem: str


class Asked(NamedTuple):
    """One program: the rule of its cause ("" without one), whether that gives advice, and what came of its patches."""

    program: str
    rule: str
    advises: bool
    tried: list[Tried]


def main() -> int:
    options = _parser().parse_args()
    directories = options.directories or [TESTS / "programs", TESTS / "others"]
    try:
        cases = [case for one in directories for case in matching(load(one.resolve()), options.only) if _fails(case)]
    except ExpectationError as error:
        print(f"advice: {error}", file=sys.stderr)
        return 2
    if not cases:
        print("advice: no program that fails was found", file=sys.stderr)
        return 2
    asked = list(_asked(cases, options.jobs))
    right = _print(asked)
    print(f"saved as {_save(asked)}")
    return 0 if right >= WANTED else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Apply each advice that is a patch, and run the program again.")
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", help="directories of programs")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only names that match, like 'shapes/*'")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default 1)")
    return parser


def _fails(case: Case) -> bool:
    return not case.expected.healthy and case.lacking() is None and case.program.is_file()


def _asked(cases: list[Case], jobs: int) -> Iterator[Asked]:
    with ThreadPoolExecutor(jobs) as pool:
        for number, one in enumerate(pool.map(_ask, cases), 1):
            marks = " ".join("right" if not patch.problem else f"WRONG ({patch.problem})" for patch in one.tried)
            print(f"{number}/{len(cases)} {one.program} {one.rule} {marks}", file=sys.stderr, flush=True)
            yield one


def _ask(case: Case) -> Asked:
    began = time.monotonic()
    before = _report(case, None)
    taken_s = time.monotonic() - began
    cause = before.cause if before is not None else None
    if before is None or cause is None:
        return Asked(case.name, "", False, [])
    tried = []
    for fix in before.fixes[:MOST_PATCHES]:
        rule = next((f"{one.code} {one.name}" for one in before.findings if one.id == fix.answers), "")
        problem = _problem(_watched(case, taken_s), before, fix.patch or "")
        tried.append(Tried(case.name, rule, fix.title, fix.patch or "", problem))
    return Asked(case.name, f"{cause.code} {cause.name}", bool(cause.advice), tried)


def _watched(case: Case, taken_s: float) -> Case:
    """The same case with a time limit, where it has one of memory."""
    if not case.expected.memory_limit or case.expected.timeout:
        return case
    limit = min(LONGEST_S, max(SHORTEST_S, LIVES_ON * taken_s))
    return case._replace(expected=msgspec.structs.replace(case.expected, timeout=f"{limit:.0f}"))


def _problem(case: Case, before: Report, patch: str) -> str:
    try:
        after = _report(case, patch)
    except subprocess.CalledProcessError as error:
        return f"does not apply: {error.stderr.decode(errors='replace').strip()[:200]}"
    if after is None:
        return "did not end"
    if after.outcome == "finished" and after.cause is None:
        return ""
    was, now = before.cause, after.cause
    if was is None or now is None:
        return f"ends as {after.outcome}"
    source = (now.location.source or "").strip() if now.location is not None else ""
    if source and source in {line[1:].strip() for line in patch.splitlines() if line.startswith("+")}:
        return f"fails at a line that it wrote: {now.message}"
    same = (was.code, was.location.source if was.location else "") == (
        now.code,
        now.location.source if now.location else "",
    )
    said = (before.death or was).message.partition(": ")[2] == (after.death or now).message.partition(": ")[2]
    return f"fails again: {now.message}" if same or said else ""


def _report(case: Case, patch: str | None) -> Report | None:
    """What a run of a program gives, or of a copy of it that is patched. Both lie at the same place."""
    with tempfile.TemporaryDirectory(prefix="whydied-advice-") as scratch:
        copy = Path(scratch).resolve() / "programs"
        shutil.copytree(case.directory, copy)
        if patch is not None:
            applied(patch, copy)
        moved = case._replace(directory=copy, program=copy / case.program.name)
        trial_place = Path(scratch) / "trial"
        trial_place.mkdir()
        trial = run(moved, trial_place)
    return from_json(trial.report) if trial.report is not None and trial.problem is None else None


def applied(patch: str, copy: Path) -> None:
    """Each file of the patch lies in the copy, whatever directory it lay in."""
    lines = [
        f"{line[:4]}{line[4:6]}{Path(line[6:]).name}" if line.startswith(("--- a/", "+++ b/")) else line
        for line in patch.split("\n")
    ]
    subprocess.run(
        ["git", "apply", "-p1", "-"],
        cwd=copy,
        input="\n".join(lines).encode(),
        capture_output=True,
        check=True,
    )


def _print(asked: list[Asked]) -> float:
    """The part of the patches that is right."""
    tried = [one for program in asked for one in program.tried]
    for one in tried:
        if one.problem:
            print(f"\n{one.program}  {one.rule}\n  {one.title}\n  {one.problem}\n{one.patch}")
    print(f"\n{'rule':40}{'patches':>8}{'right':>8}")
    total, right = Counter(one.rule for one in tried), Counter(one.rule for one in tried if not one.problem)
    for rule in sorted(total):
        print(f"{rule:40}{total[rule]:>8}{right[rule]:>8}")
    without = Counter(one.rule for one in asked if one.rule and one.advises and not one.tried)
    print(f"\n{'advice that is no patch':40}{'programs':>8}")
    for rule, number in sorted(without.items()):
        print(f"{rule:40}{number:>8}")
    programs = [one for one in asked if one.tried]
    part = sum(right.values()) / len(tried) if tried else 0.0
    print(
        f"\n{len(asked)} programs, {len(programs)} with a patch; {len(tried)} patches, "
        f"{sum(right.values())} get past the failure ({part:.0%})"
    )
    return part


def _save(asked: list[Asked]) -> Path:
    place = HERE / "results" / f"advice-{time.strftime('%Y%m%d-%H%M%S')}.json"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(msgspec.json.format(msgspec.json.encode([one._asdict() for one in asked]), indent=2))
    return place


if __name__ == "__main__":
    sys.exit(main())
