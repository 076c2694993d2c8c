"""Small pieces of code under one rule: what it says of each."""

from __future__ import annotations

import textwrap
from pathlib import Path

from whydied.lint.checking import LintFinding, check_unit
from whydied.lint.project_files import check_files
from whydied.lint.rules_table import find_static_rule
from whydied.lint.static_rule import StaticRule
from whydied.lint.unit import Unit
from whydied.source.edits.edit import edited
from whydied.source.text import Source, parsed


def rule_of(code: str) -> StaticRule:
    found = find_static_rule(code)
    assert found is not None
    return found


def findings(code: str, text: str) -> list[LintFinding]:
    """What a rule finds in a file of its own."""
    plain = textwrap.dedent(text).strip("\n") + "\n"
    found, errors = check_unit(Unit("train.py", Source(plain, parsed(plain))), [rule_of(code)])
    assert errors == []
    return found


def lines(code: str, text: str) -> list[str]:
    """The source lines that a rule points at."""
    return [one.location.source.partition("  #")[0] for one in findings(code, text)]


def fixed(code: str, text: str) -> str | None:
    """The text with the fixes of a rule."""
    plain = textwrap.dedent(text).strip("\n") + "\n"
    edits = [edit for one in findings(code, text) if one.fix is not None for edit in one.fix.edits]
    return edited(Source(plain), edits) if edits else None


def in_files(code: str, directory: Path, **texts: str) -> list[str]:
    """What a rule points at in the first of some files, which may import the others."""
    for name, text in texts.items():
        (directory / f"{name}.py").write_text(textwrap.dedent(text))
    checked = check_files([directory / f"{next(iter(texts))}.py"], [rule_of(code)])
    assert checked.errors == []
    return [one.location.source.partition("  #")[0] for one in checked.findings]
