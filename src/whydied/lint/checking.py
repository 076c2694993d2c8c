"""Units in, findings out: asks the chosen rules, leaves out what a comment silences, and says where each stands. Pure.

Invariant: a rule of ours that fails costs its own findings only; the error is told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

import msgspec

from whydied.lint.static_rule import Hit, StaticRule
from whydied.lint.suppressions import is_suppressed, suppressions
from whydied.lint.unit import Unit
from whydied.source.edits.edit import Edit, start_of


class Spot(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a file; in a notebook line and column are those of the cell. Lines and columns count from 1."""

    file: str
    line: int
    end_line: int
    column: int
    source: str
    cell: int | None = None


class LintFix(msgspec.Struct, frozen=True):
    """Edits that are safe to make. Places are those of the file or of the cell."""

    title: str
    edits: list[Edit]


class LintFinding(msgspec.Struct, frozen=True, kw_only=True):
    code: str
    name: str
    message: str
    advice: str
    location: Spot
    fix: LintFix | None = None


class LintError(msgspec.Struct, frozen=True, kw_only=True):
    """A file, or a cell, that was not checked."""

    file: str
    message: str
    line: int | None = None
    cell: int | None = None


class Checked(msgspec.Struct, frozen=True):
    findings: list[LintFinding]
    files: int
    lines: int
    errors: list[LintError]


def check_unit(unit: Unit, rules: Iterable[StaticRule]) -> tuple[list[LintFinding], list[LintError]]:
    """What the rules find in one unit, by place."""
    if not unit.tree.body:
        return [], []
    silenced = suppressions(unit.source)
    found: list[LintFinding] = []
    errors: list[LintError] = []
    text = unit.source.exact
    concerned = "tensorflow" in text or "keras" in text
    for rule in rules:
        if not concerned and not rule.any_code:
            continue
        try:
            hits = list(rule.check(unit))
        except RecursionError:
            errors.append(LintError(file=unit.file, message=f"{rule.code} was not checked: an expression is too deep"))
            continue
        for hit in hits:
            if not is_suppressed(silenced, unit.source, hit.node.lineno, rule.code):  # type: ignore[attr-defined]
                found.append(_finding(unit, rule, hit))
    found.sort(key=lambda one: (one.location.cell or 0, one.location.line, one.location.column, one.code))
    return found, errors


def _finding(unit: Unit, rule: StaticRule, hit: Hit) -> LintFinding:
    node = hit.node
    assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
    line, column = start_of(unit.source, node)
    cell, own = unit.place(line)
    statement = unit.source.statement(line)
    last = statement.end_line if statement is not None else line
    first_line = unit.source.lines[line - 1].strip()
    fix = None
    if hit.edits:
        fix = LintFix(hit.advice, [_placed(unit, edit) for edit in hit.edits])
    return LintFinding(
        code=rule.code,
        name=rule.name,
        message=hit.message,
        advice=hit.advice,
        location=Spot(
            file=unit.file,
            line=own,
            end_line=own + max(last - line, 0),
            column=column + 1,
            source=first_line,
            cell=cell.number if cell is not None else None,
        ),
        fix=fix,
    )


def _placed(unit: Unit, edit: Edit) -> Edit:
    """An edit with the lines of the cell that it concerns."""
    cell, line = unit.place(edit.start[0])
    if cell is None:
        return edit
    end = line + edit.end[0] - edit.start[0]
    return Edit(f"{unit.file}/cell [{cell.number}]", (line, edit.start[1]), (end, edit.end[1]), edit.text)


def chosen(rules: Sequence[StaticRule], select: Sequence[str], ignore: Sequence[str]) -> list[StaticRule]:
    """The rules whose code begins with, or whose name is, one of those selected (all without any) and none of those
    ignored."""
    return [
        rule
        for rule in rules
        if (not select or any(_is_meant(rule, word) for word in select))
        and not any(_is_meant(rule, word) for word in ignore)
    ]


def unknown(rules: Sequence[StaticRule], words: Iterable[str]) -> list[str]:
    """The words that choose no rule."""
    return [word for word in words if not any(_is_meant(rule, word) for rule in rules)]


def _is_meant(rule: StaticRule, word: str) -> bool:
    wanted = word.strip()
    return bool(wanted) and (
        wanted.upper() in ("ALL", rule.code) or rule.code.startswith(wanted.upper()) or rule.name == wanted
    )
