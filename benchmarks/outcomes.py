"""What whydied says of every stored recording of the corpus, and whether it is right.

Runs in the harness: reads files and computes, starts nothing. `tests/recordings/outcomes.txt` has a line for each
program, so that a changed rule shows as a difference of that file:

    name | outcome | death, cause and other findings | certainty | where | culprit | message of the cause
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import recordings
from corpus import Case
from trial import Trial
from verdict import Verdict, judge
from whydied.diagnose.finding import Finding
from whydied.read.recording import load
from whydied.report.finish import compose
from whydied.report.summary import Report, as_json

TABLE = recordings.STORED / "outcomes.txt"
STALE = "the program has been edited since it was recorded: scripts/record_corpus.py --only {name}"


class Outcome(NamedTuple):
    """`line` is the program's line of the table; `verdict` compares the report with the truth."""

    line: str
    verdict: Verdict


def outcome_of(case: Case, data: bytes) -> Outcome:
    """Diagnose an archive. The case is one of the repository, which has the truth."""
    with tempfile.TemporaryDirectory(prefix="whydied-stored-") as directory:
        stored = recordings.unpack(data, Path(directory))
        report = compose(load(stored.run))
        stale = recordings.is_stale(case, stored)
        seen = stored.seen
    trial = Trial(seen.status, as_json(report), seen.printed.encode(), b"", seen.wall_s)
    verdict = judge(recordings.neutral_case(case), trial)
    if stale:
        verdict = verdict._replace(problems=(STALE.format(name=case.name), *verdict.problems))
    return Outcome(line_of(case.name, report), verdict._replace(case=case))


def outcomes(cases: Iterable[Case], jobs: int | None = None) -> Iterator[Outcome]:
    """Of all cases that have a recording, side by side, in their order."""
    chosen = [case for case in cases if recordings.path_of(case.name).exists()]
    count = min(jobs or len(os.sched_getaffinity(0)), max(1, len(chosen)))
    if count == 1:
        yield from map(_stored_outcome, chosen)
        return
    with ProcessPoolExecutor(count) as pool:
        yield from pool.map(_stored_outcome, chosen, chunksize=4)


def _stored_outcome(case: Case) -> Outcome:
    return outcome_of(case, recordings.path_of(case.name).read_bytes())


def line_of(name: str, report: Report) -> str:
    cause, death = report.cause, report.death
    others = [one.code for one in report.findings if one.id not in {part.id for part in (cause, death) if part}]
    codes = " ".join([_code(death), "<-", _code(cause), *others]) if death or cause else "-"
    where = cause.location if cause else None
    culprit = cause.culprit if cause else None
    parts = [
        name,
        report.outcome,
        codes,
        cause.certainty if cause else "-",
        where.spelled if where else "-",
        (culprit.name or culprit.kind) if culprit else "-",
        cause.message if cause else report.undetermined or "-",
    ]
    return " | ".join(part.replace("\n", "\\n") for part in parts)


def _code(finding: Finding | None) -> str:
    return finding.code if finding else "-"


def table_lines() -> dict[str, str]:
    """The lines of the table by the names of their programs."""
    text = TABLE.read_text("utf-8") if TABLE.exists() else ""
    return {line.partition(" | ")[0]: line for line in text.splitlines()}


def write_table(lines: dict[str, str]) -> None:
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text("".join(f"{lines[name]}\n" for name in sorted(lines)), "utf-8")
