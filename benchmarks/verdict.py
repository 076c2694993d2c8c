"""Compares a trial with what is expected of it: the one checker of benchmarks and tests.

Pure: a case and a trial in, a verdict out.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from corpus import PRINTED, Case, listed, size_of
from trial import Trial
from whydied.diagnose.finding import Finding
from whydied.report.summary import Report, from_json


class Verdict(NamedTuple):
    """What was right; None where the case does not ask. `problems` say each wrong thing."""

    case: Case
    problems: tuple[str, ...]
    cause: str
    family_right: bool | None = None
    line_right: bool | None = None
    culprit_right: bool | None = None
    bytes_right: bool | None = None
    bytes_off: float | None = None
    false_alarm: bool = False
    wall_s: float = 0.0
    certainty: str = ""

    @property
    def right(self) -> bool:
        return not self.problems


def judge(case: Case, trial: Trial) -> Verdict:
    if trial.problem or trial.report is None:
        words = trial.problem or f"no JSON report; exit status {trial.status}; {_tail(trial.stderr)}"
        return Verdict(case, (words,), "no report", wall_s=trial.wall_s)
    try:
        report = from_json(trial.report)
    except Exception as error:
        return Verdict(case, (f"the JSON report does not read: {error}",), "no report", wall_s=trial.wall_s)
    return _compare(case, trial, report)


def _compare(case: Case, trial: Trial, report: Report) -> Verdict:
    expected, cause = case.expected, report.cause
    problems = [*_always(trial, report), *_status(case, trial, report)]
    alarm = False
    family: bool | None = None
    if expected.healthy:
        alarm = bool(report.findings or report.cause or report.death)
        problems += [f"a finding in a healthy program: {_named(f)}" for f in _all(report)]
    elif expected.causes:
        family = matches(cause, expected.causes)
        problems += [] if family else [f"cause is {_named(cause)}, expected {' or '.join(expected.causes)}"]
    if expected.death and not matches(report.death, listed(expected.death)):
        problems.append(f"death is {_named(report.death)}, expected {' or '.join(listed(expected.death))}")
    line, line_problem = _line(case, cause)
    culprit, culprit_problem = _culprit(case, cause)
    size, off, size_problem = _size(case, trial, cause)
    problems += [text for text in (line_problem, culprit_problem, size_problem) if text]
    problems += _rows(case, cause)
    label = _named(cause, short=True)
    certainty = cause.certainty if cause is not None else ""
    return Verdict(case, tuple(problems), label, family, line, culprit, size, off, alarm, trial.wall_s, certainty)


def cause_problems(case: Case, cause: Finding | None) -> tuple[str, ...]:
    """What is wrong with a cause alone: its name, its line, its culprit, its rows."""
    wanted = case.expected.causes
    named = (
        [] if not wanted or matches(cause, wanted) else [f"cause is {_named(cause)}, expected {' or '.join(wanted)}"]
    )
    placed = [text for text in (_line(case, cause)[1], _culprit(case, cause)[1]) if text]
    return (*named, *placed, *_rows(case, cause))


def matches(finding: Finding | None, wanted: list[str]) -> bool:
    """Whether a finding has one of the names, codes or families."""
    if finding is None:
        return False
    return any(word in (finding.name, finding.code) or word == finding.code[:3] for word in wanted)


def _always(trial: Trial, report: Report) -> list[str]:
    """What holds for every run, whatever the program."""
    problems = [f"an error of whydied's own: {error}" for error in report.internal_errors]
    run = report.run
    status = 128 + run.signal if run.signal is not None else run.exit_code
    if status is not None and trial.status != status:
        problems.append(f"exit status {trial.status}, while the report says {status}")
    if report.outcome != "finished" and report.cause is None and not report.undetermined:
        problems.append("no cause, and no word on why it could not be told")
    return problems


def _status(case: Case, trial: Trial, report: Report) -> list[str]:
    problems = []
    outcomes = listed(case.expected.outcome)
    if outcomes and report.outcome not in outcomes:
        problems.append(f"outcome is {report.outcome}, expected {' or '.join(outcomes)}")
    if case.expected.exit_status is not None and trial.status != case.expected.exit_status:
        problems.append(f"exit status {trial.status}, expected {case.expected.exit_status}")
    return problems


def _line(case: Case, cause: Finding | None) -> tuple[bool | None, str | None]:
    if case.cells:
        return _cell_line(case, cause)
    if not case.lines or case.file is None:
        return None, None
    wanted = f"{case.file.name}:{'|'.join(map(str, sorted(case.lines)))}"
    where = cause.location if cause else None
    if where is None:
        return False, f"no line, expected {wanted}"
    # A place is a statement, and the mark may stand in the middle of a long call.
    lines = range(where.line, (where.end_line or where.line) + 1)
    right = any(line in lines for line in case.lines) and where.file == os.path.realpath(case.file)
    return right, None if right else f"line is {os.path.basename(where.file)}:{where.line}, expected {wanted}"


def _cell_line(case: Case, cause: Finding | None) -> tuple[bool, str | None]:
    """The same for a line of a notebook. All cells run once and in order, so a cell has the number of its run."""
    where = cause.location if cause else None
    wanted = " or ".join(f"cell [{cell}], line {line}" for cell, line in sorted(case.cells))
    if where is None:
        return False, f"no line, expected {wanted}"
    lines = range(where.line, (where.end_line or where.line) + 1)
    right = any(cell == where.cell and line in lines for cell, line in case.cells)
    return right, None if right else f"line is {where.spelled}, expected {wanted}"


def _culprit(case: Case, cause: Finding | None) -> tuple[bool | None, str | None]:
    wanted, near = listed(case.expected.culprit), case.expected.near
    if not wanted and near is None:
        return None, None
    culprit = cause.culprit if cause else None
    if wanted and (culprit is None or culprit.name not in wanted):
        return False, f"culprit is {culprit.name if culprit else None}, expected {' or '.join(wanted)}"
    offered = list(culprit.near) if culprit else []
    if near is not None and not any(near in (name.strip("'\""), os.path.basename(name)) for name in offered):
        return False, f"near names are {offered}, expected {near} among them"
    return True, None


def _rows(case: Case, cause: Finding | None) -> list[str]:
    culprit = cause.culprit if cause else None
    told = {
        "rows": sorted(culprit.rows.dataset) if culprit and culprit.rows else [],
        "columns": sorted(culprit.columns) if culprit else [],
    }
    wanted = {"rows": case.expected.rows, "columns": case.expected.columns}
    return [
        f"{what} are {told[what]}, expected {sorted(numbers)}"
        for what, numbers in wanted.items()
        if numbers is not None and told[what] != sorted(numbers)
    ]


def _size(case: Case, trial: Trial, cause: Finding | None) -> tuple[bool | None, float | None, str | None]:
    """Whether the bytes are right, how far off they are as a part of the truth, and what is wrong."""
    if case.expected.bytes is None:
        return None, None, None
    wanted = _printed(trial) if case.expected.bytes == PRINTED else size_of(case.expected.bytes)
    if wanted is None:
        return False, None, "the program printed no line `held <bytes>`"
    told = cause.culprit.bytes if cause and cause.culprit else None
    off = told / wanted - 1 if told is not None else None
    if off is not None and abs(off) <= case.expected.bytes_within:
        return True, off, None
    words = f" ({off:+.0%})" if off is not None else ""
    return False, off, f"bytes are {told}{words}, expected {wanted} within {case.expected.bytes_within:.0%}"


def _printed(trial: Trial) -> int | None:
    """What the program said last that it holds; a line that its death cut short does not count."""
    found = re.findall(rb"^held (\d+)\n", trial.stdout, re.MULTILINE)
    return int(found[-1]) if found else None


def _all(report: Report) -> list[Finding]:
    found = {finding.id: finding for finding in report.findings}
    found |= {finding.id: finding for finding in (report.death, report.cause) if finding}
    return list(found.values())


def _named(finding: Finding | None, *, short: bool = False) -> str:
    if finding is None:
        return "none"
    return finding.name if short else f"{finding.code} {finding.name} ({finding.message})"


def _tail(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip()[-400:] or "nothing on stderr"
