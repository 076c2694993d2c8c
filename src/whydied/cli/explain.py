"""`whydied explain`: the documentation of a rule, as its module has it. Runs in the parent."""

from __future__ import annotations

import sys

import click

from whydied.errors import UsageError

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
    """
    from rich.markdown import Markdown

    from whydied.diagnose.registry import all_rules, find_rule, near_rules
    from whydied.report.terminal.console import console_on, write

    console = console_on(sys.stdout)
    if wanted is None:
        _list(sorted((rule.code, rule.name, rule.summary) for rule in all_rules()))
        return
    rule = find_rule(wanted)
    if rule is None:
        rows = sorted((rule.code, rule.name, rule.summary) for rule in all_rules())
        related = [row for row in rows if len(wanted) > 2 and wanted.lower() in " ".join(row).lower()]
        if not related:
            family = [rule for rule in all_rules() if wanted.upper().startswith(rule.family)]
            near = ", ".join(f"{rule.code} {rule.name}" for rule in near_rules(wanted) or family[:_SHOWN_OF_FAMILY])
            raise UsageError(
                f"unknown code {wanted!r}", f"near: {near}" if near else "`whydied explain` lists all codes"
            )
        _list(related)
        return
    if console.is_terminal:
        write([Markdown(rule.documentation)], console)
    else:
        click.echo(rule.documentation.rstrip())


def _list(rows: list[tuple[str, str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from whydied.report import plain
    from whydied.report.terminal.console import console_on, write

    console = console_on(sys.stdout)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for code, name, summary in rows:
        cells = [plain.spelled(cell, console.encoding or "ascii") for cell in (code, name, summary)]
        table.add_row(Text(cells[0], "bold"), Text(cells[1]), Text(cells[2], "dim"))
    write([table], console)
