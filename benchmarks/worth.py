"""What each part of the diagnosis is worth: leaves out one at a time over the stored recordings of the corpus.

    python benchmarks/worth.py --jobs 2                      all rules and heuristics (parts.py says what those are)
    python benchmarks/worth.py --only 'MEM*' --only '*.last_statement.*'

Diagnosing is pure, so nothing is run. A part is left out only of those recordings where it answers. Prints the parts
that make a verdict worse or better, those that change nothing but words, those without which others of ours fail, and
those that never answer. Saved as JSON below benchmarks/results/.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

import recordings
from corpus import Case, load
from parts import Part, heuristics, left_out, rules, watched
from trial import Trial
from verdict import judge
from whydied.read.recording import load as load_recording
from whydied.report.finish import compose
from whydied.report.summary import Report, as_json

HERE = Path(__file__).resolve().parent
SHOWN = 6


class Kept(NamedTuple):
    """An unpacked recording, and its program as it is named there."""

    case: Case
    stored: recordings.Stored


class Judged(NamedTuple):
    report: bytes
    problems: frozenset[str]
    failed: bool
    """Whether something of ours raised an error."""


class Worth(NamedTuple):
    """Names of programs by what became of their verdicts without a part, of those where it answers."""

    part: str
    answers: int
    worse: list[str]
    better: list[str]
    reworded: list[str]
    fails: list[str]


def main() -> int:
    options = _parser().parse_args()
    chosen = [part for part in [*rules(), *heuristics()] if _is_wanted(part.name, options.only)]
    if not chosen:
        print("worth: no part of that name; `benchmarks/parts.py` says what is a part", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="whydied-worth-") as directory:
        kept = list(unpacked(load(recordings.PROGRAMS), Path(directory)))
        found = list(worths(kept, chosen, options.jobs))
    _print(found, len(kept))
    print(f"saved as {_save(found)}")
    return 0


def unpacked(cases: Iterable[Case], directory: Path) -> Iterator[Kept]:
    """The stored recordings of some programs, each in a place of its own below a directory."""
    for number, case in enumerate(cases):
        archive = recordings.path_of(case.name)
        if archive.exists():
            place = directory / str(number)
            place.mkdir()
            yield Kept(recordings.neutral_case(case), recordings.unpack(archive.read_bytes(), place))


def worths(kept: list[Kept], chosen: list[Part], jobs: int = 1) -> Iterator[Worth]:
    """What each part is worth over some recordings."""
    usual: list[Judged] = []
    answering: dict[str, list[int]] = {part.name: [] for part in chosen}
    for number, one in enumerate(kept):
        usual.append(_judged(one))
        seen: set[str] = set()
        with watched(chosen, seen):
            _judged(one)
        for name in seen:
            answering[name].append(number)
    with ProcessPoolExecutor(jobs) as pool:
        # Few at a time: parts differ a hundredfold in how many recordings they answer in.
        yield from pool.map(
            _worth,
            [part.name for part in chosen],
            ([kept[number] for number in answering[part.name]] for part in chosen),
            ([usual[number] for number in answering[part.name]] for part in chosen),
        )


def _worth(name: str, kept: list[Kept], usual: list[Judged]) -> Worth:
    found = Worth(name, len(kept), [], [], [], [])
    part = next(part for part in [*rules(), *heuristics()] if part.name == name)
    for one, before in zip(kept, usual, strict=True):
        with left_out(part):
            after = _judged(one)
        changed = (
            found.fails
            if after.failed > before.failed
            else found.worse
            if after.problems - before.problems
            else found.better
            if before.problems - after.problems
            else found.reworded
            if after.report != before.report
            else []
        )
        changed.append(one.case.name)
    return found


def _judged(kept: Kept) -> Judged:
    seen = kept.stored.seen
    report = compose(load_recording(kept.stored.run))
    data = as_json(report)
    verdict = judge(kept.case, Trial(seen.status, data, seen.printed.encode(), b"", seen.wall_s))
    return Judged(data, frozenset(verdict.problems), _is_failed(report))


def _is_failed(report: Report) -> bool:
    return bool(report.internal_errors)


def _is_wanted(name: str, only: list[str]) -> bool:
    return not only or any(fnmatch.fnmatchcase(name, pattern) for pattern in only)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Leave out one part of the diagnosis at a time.")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="only parts that match")
    parser.add_argument("--jobs", type=int, default=1, help="parts at a time (default 1)")
    return parser


def _print(found: list[Worth], count: int) -> None:
    print(f"{len(found)} parts over {count} recordings; answers in, worse without it, better without it\n")
    for one in sorted(found, key=lambda one: (len(one.better) - len(one.worse), one.part)):
        if one.worse or one.better:
            print(f"{one.answers:4} -{len(one.worse):<3} +{len(one.better):<3} {one.part}")
            _list("worse", one.worse)
            _list("better", one.better)
    silent = [one for one in found if one.answers and not one.worse and not one.better]
    _table("others fail without it", [one for one in silent if one.fails])
    _table("changes words alone", [one for one in silent if one.reworded and not one.fails])
    _table("changes nothing", [one for one in silent if not one.reworded and not one.fails])
    _table("never answers", [one for one in found if not one.answers])


def _list(words: str, names: Iterable[str]) -> None:
    names = list(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    if names:
        print(f"               {words}: {', '.join(names[:SHOWN])}{more}")


def _table(title: str, found: list[Worth]) -> None:
    print(f"\n{title}: {len(found)}")
    for one in found:
        print(f"{one.answers:4} {one.part}")


def _save(found: list[Worth]) -> Path:
    target = HERE / "results" / f"worth-{time.strftime('%Y%m%d-%H%M%S')}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(msgspec.json.format(msgspec.json.encode([one._asdict() for one in found])) + b"\n")
    return target


if __name__ == "__main__":
    sys.exit(main())
