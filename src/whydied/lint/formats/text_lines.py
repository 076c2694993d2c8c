"""Findings as lines for people: place, code, message; the source line; what to do. Pure."""

from __future__ import annotations

from whydied import words
from whydied.lint.checking import Checked, LintError, LintFinding


def place_of(finding: LintFinding) -> str:
    """`train.py:12:5`, or `notes.ipynb:cell 3:2:1`."""
    where = finding.location
    cell = f"cell {where.cell}:" if where.cell is not None else ""
    return f"{where.file}:{cell}{where.line}:{where.column}"


def finding_lines(finding: LintFinding) -> list[str]:
    fixable = " [fixable]" if finding.fix is not None else ""
    lines = [f"{place_of(finding)}: {finding.code}{fixable} {finding.message}"]
    lines += [f"    {finding.location.source}"] if finding.location.source else []
    return [*lines, f"    fix: {finding.advice}"]


def error_line(error: LintError) -> str:
    cell = f":cell {error.cell}" if error.cell is not None else ""
    line = f":{error.line}" if error.line is not None else ""
    return f"{error.file}{cell}{line}: error: {error.message}"


def summary(checked: Checked, fixed: int = 0) -> str:
    number = len(checked.findings)
    files = words.count(checked.files, "file")
    parts = [f"{words.count(fixed, 'finding')} fixed"] if fixed else []
    if number:
        bad = len({finding.location.file for finding in checked.findings})
        parts.append(f"{words.count(number, 'finding')} in {bad:,} of {files}")
        fixable = sum(finding.fix is not None for finding in checked.findings)
        parts += [f"{fixable:,} fixable with --fix"] if fixable else []
    else:
        parts.append(f"no findings in {files}")
    parts += [f"{words.count(len(checked.errors), 'error')}"] if checked.errors else []
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def text(checked: Checked, fixed: int = 0) -> str:
    blocks = [*(finding_lines(one) for one in checked.findings), *([error_line(one)] for one in checked.errors)]
    return "\n".join([line for block in blocks for line in block] + [summary(checked, fixed)]) + "\n"
