"""`whydied explain`: the documentation of a rule, as its module has it. Runs in the parent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from whydied.errors import UsageError

if TYPE_CHECKING:
    from whydied.lint.static_rule import StaticRule

_SHOWN_OF_FAMILY = 5


@click.command(short_help="Explain a code, such as MEM001.")
@click.argument("wanted", metavar="[CODE]", required=False)
def command(wanted: str | None) -> None:
    """Explain what a code means: what is detected, why it happens, the evidence, and the fix.

    CODE is a code or its name. Without it, all codes are listed.

    \b
    Examples:
      whydied explain                    all codes
      whydied explain MEM001             one of them
      whydied explain host-oom-kill      the same, by its name
      whydied explain memory             all codes that mention memory
      whydied explain lint               all codes of `whydied lint`
    """
    from rich.markdown import Markdown

    from whydied.diagnose.registry import all_rules, find_rule, near_rules
    from whydied.lint.rules_table import STATIC_RULES, find_static_rule
    from whydied.report.terminal.console import console_on, write
    from whydied.report.terminal.sentences import put

    console = console_on(sys.stdout)
    known = [(one.code, one.name, one.summary) for one in all_rules()]
    known = sorted([*known, *((one.code, one.name, one.summary) for one in STATIC_RULES)])
    if wanted is None:
        _list(known)
        return
    static = find_static_rule(wanted)
    rule = find_rule(wanted)
    if static is None and rule is None:
        rows = [row for row in known if row[0].startswith("LNT")] if wanted.lower() == "lint" else known
        related = [row for row in rows if len(wanted) > 2 and wanted.lower() in " ".join(row).lower()]
        related = rows if wanted.lower() == "lint" else related
        if not related:
            family = [rule for rule in all_rules() if wanted.upper().startswith(rule.family)]
            near = ", ".join(f"{rule.code} {rule.name}" for rule in near_rules(wanted) or family[:_SHOWN_OF_FAMILY])
            raise UsageError(
                f"unknown code {wanted!r}", f"near: {near}" if near else "`whydied explain` lists all codes"
            )
        _list(related)
        return
    documentation = _of_static(static) if static is not None else rule.documentation if rule is not None else ""
    if console.is_terminal:
        write([Markdown(documentation)], console)
    else:
        put(f"{documentation.rstrip()}\n")


def _of_static(rule: StaticRule) -> str:
    """The documentation of a rule of `whydied lint`, with the rules that find its fault in a run."""
    from whydied.diagnose.registry import find_rule

    found = [same for name in rule.same_fault if (same := find_rule(name)) is not None]
    told = ", ".join(f"{same.code} {same.name}" for same in found)
    return f"{rule.documentation.rstrip()}\n\n## In a run\n{told}\n" if told else rule.documentation


def _list(rows: list[tuple[str, str, str]]) -> None:
    from rich.text import Text

    from whydied.report.terminal.console import listed
    from whydied.report.terminal.listing import Column, Listing

    columns = [Column(whole=True, lead=True), Column(whole=True, lead=True), Column(least=24)]
    cells = [[Text(code, "bold"), Text(name), Text(summary, "dim")] for code, name, summary in rows]
    listed(Listing(columns, cells), sys.stdout)
