"""`whydied lint`: what in the code tends to crash, without running it. Runs in the parent."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied import __version__
from whydied.errors import UsageError
from whydied.report.patience import patience
from whydied.report.terminal.sentences import put, put_json, say

if TYPE_CHECKING:
    from whydied.lint.checking import Checked
    from whydied.lint.static_rule import StaticRule
    from whydied.prove.patching.static_fixes import FixedFile

_FORMATS = ("text", "json", "sarif", "github")


@click.command(short_help="Check code for faults that crash, without running it.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--select", metavar="CODES", multiple=True, help="Check only these codes or prefixes, such as LNT001,LNT01."
)
@click.option("--ignore", metavar="CODES", multiple=True, help="Leave out these codes or prefixes.")
@click.option("--exclude", metavar="GLOB", multiple=True, help="Leave out these files of the directories given.")
@click.option("--format", "kind", type=click.Choice(_FORMATS), default="text", show_default=True, help="How to print.")
@click.option("--fix", is_flag=True, help="Write the fixes that are safe into the files.")
@click.option("--diff", is_flag=True, help="Print these fixes as a diff and write nothing.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    kind: str,
    fix: bool,
    diff: bool,
) -> None:
    """Check Python files and notebooks for code that tends to run out of memory, give NaN or crash.

    PATHS are files or directories. Nothing is run or imported. `# whydied: ignore[LNT001]` on a line silences a code
    there, `# whydied: ignore` all of them. The exit status is 0 without findings, 1 with some or if a file could not be
    read, 2 for a wrong option.

    \b
    Examples:
      whydied lint train.py                  one file
      whydied lint src notebooks             all .py and .ipynb files below
      whydied lint . --select LNT012,LNT014  two rules only
      whydied lint . --diff                  what --fix would change
      whydied lint . --format github         annotations for a pull request
      whydied explain LNT001                 what a code means
    """
    from whydied import config
    from whydied.lint.checking import chosen, unknown
    from whydied.lint.project_files import check_files, files_of
    from whydied.lint.rules_table import STATIC_RULES

    if fix and diff:
        raise UsageError("--fix and --diff exclude each other", "--diff prints what --fix would write")
    settings = config.of_working_directory().lint
    selected, ignored = _codes(select) or settings.select, (*_codes(ignore), *settings.ignore)
    if wrong := unknown(STATIC_RULES, (*selected, *ignored)):
        raise UsageError(f"{wrong[0]!r} is not a code of whydied lint", "`whydied explain lint` lists them")
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
    rules = chosen(STATIC_RULES, selected, ignored)
    files = list(files_of(paths, (*exclude, *settings.exclude)))
    with patience(f"checking {len(files):,} files"):
        checked = check_files(files, rules)
    if diff:
        ctx.exit(_show_diff(checked))
    number = 0
    if fix:
        number = _write_fixes(checked)
        with patience(f"checking {len(files):,} files again"):
            checked = check_files(files, rules) if number else checked
    _print(kind, checked, rules, number)
    ctx.exit(1 if checked.findings or checked.errors else 0)


def _codes(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for word in words for code in word.split(",") if code.strip())


def _print(kind: str, checked: Checked, rules: Sequence[StaticRule], fixed: int) -> None:
    if kind == "json":
        from whydied.lint.formats.json_object import json_text

        put_json(json_text(checked))
    elif kind == "sarif":
        from whydied.lint.formats.sarif_log import sarif_text

        put_json(sarif_text(checked, rules, __version__))
    elif kind == "github":
        from whydied.lint.formats.github_commands import github_text

        put(github_text(checked))
    else:
        from whydied.lint.formats.text_lines import text
        from whydied.report import plain

        for line in plain.block(text(checked, fixed)).removesuffix("\n").split("\n"):
            say(line, hanging=0 if line.startswith(" ") else 4)


def _fixed(checked: Checked) -> list[FixedFile]:
    from whydied.prove.patching.static_fixes import fixed_files

    return fixed_files(checked.findings)


def _show_diff(checked: Checked) -> int:
    """What the fixes would change. 1 where there is something."""
    from whydied.source.edits.unified_diff import difference
    from whydied.source.text import decoded

    changed = _fixed(checked)
    for one in changed:
        put(difference(decoded(one.before), decoded(one.after), one.file.removeprefix("./")))
    return 1 if changed else 0


def _write_fixes(checked: Checked) -> int:
    from whydied.errors import NotEditable
    from whydied.places import replace_whole

    written = 0
    for one in _fixed(checked):
        try:
            path = Path(one.file).resolve()
            replace_whole(path, one.after, stat.S_IMODE(path.stat().st_mode))
        except OSError as error:
            raise NotEditable(f"{one.file} cannot be written: {error.strerror or error}") from error
        written += one.fixed
    return written
