"""`whydied fix`: the change of the program that removes the cause, shown, written into its files, and taken back. Runs
in the parent; writes only with `--apply` and `--undo`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whydied.cli import catalogue, runs_place
from whydied.errors import NotEditable, UsageError
from whydied.report.patience import patience
from whydied.report.terminal.sentences import put_json, say

if TYPE_CHECKING:
    from whydied.diagnose.finding import Fix
    from whydied.places import RunDirectory
    from whydied.prove.patching.application import Applied
    from whydied.report.summary import Report


@click.command(
    short_help="Show the change that fixes a run, or write it.",
    epilog="RUN is an id or part of one, a name given with 'run --name', or the path of a run's directory.",
)
@click.argument("wanted", metavar="[RUN]", required=False)
@click.option("--list", "listed", is_flag=True, help="List all fixes, and whether they were tried.")
@click.option("--number", "-n", type=click.IntRange(min=1), metavar="N", help="Take fix N of the list, not the best.")
@click.option(
    "--apply", "writes", is_flag=True, help="Write the fix into the program's files. Backups stay beside them."
)
@click.option("--untested", is_flag=True, help="With --apply: write a fix that was not tried, too.")
@click.option("--undo", "undoes", is_flag=True, help="Put back the files that --apply replaced.")
@click.option("--json", "as_json", is_flag=True, help="Print the fixes as JSON (schema 1) instead.")
@runs_place.runs_option
def command(
    wanted: str | None,
    listed: bool,
    number: int | None,
    writes: bool,
    untested: bool,
    undoes: bool,
    as_json: bool,
    runs: Path | None,
) -> None:
    """Show the change of your program that removes the cause, as a diff; --apply writes it.

    A fix that `whydied prove` has tried on the program comes first. The others are labelled as not tried. Nothing is
    written without --apply, and nothing into a file that is not what ran. The exit status is 1 if no fix is known.

    \b
    Examples:
      whydied fix                        the best fix of the newest run
      whydied fix --list                 all fixes, numbered
      whydied fix ab12cd --number 2      another one, of the run whose id holds "ab12cd"
      whydied fix --apply                write it; train.py.whydied-backup is the file as it was
      whydied fix --undo                 put the old file back
      whydied fix | patch -p1            the diff goes to stdout, the words about it to stderr
    """
    if undoes:
        if writes or listed or number is not None:
            raise UsageError("--undo goes with no other choice", "`whydied fix --undo [RUN]`")
        _undo(wanted, runs, as_json)
        return
    if listed and writes:
        raise UsageError("--list shows and --apply writes: choose one", "`whydied fix --number 2 --apply`")
    from whydied.prove.patching.choice import ranked

    directory = catalogue.find(wanted, runs)
    report, remark = catalogue.known(directory)
    if remark:
        say(f"whydied: {remark}", err=True)
    fixes = ranked(report.fixes)
    if listed and not as_json:
        _list(report, fixes)
        return
    chosen = _chosen(fixes, number)
    written = _apply(directory, fixes[chosen], chosen + 1, untested) if writes and chosen is not None else None
    if as_json:
        _print_json(directory, fixes, chosen, written)
    elif chosen is None:
        _say_without(report)
    elif written is not None:
        _say_written(written, directory)
    else:
        _show(directory, report, fixes, chosen)
    if chosen is None:
        raise click.exceptions.Exit(1)


def _chosen(fixes: list[Fix], number: int | None) -> int | None:
    from whydied.prove.patching.choice import is_offered

    if number is None:
        return 0 if fixes and is_offered(fixes[0]) else None
    if number > len(fixes):
        raise UsageError(f"there is no fix {number}: this run has {len(fixes)}", "`whydied fix --list` shows them")
    return number - 1


def _list(report: Report, fixes: list[Fix]) -> None:
    from whydied.report.terminal import fix_page

    for at, fix in enumerate(fixes, 1):
        say(fix_page.row(fix, at, report), hanging=12)
    if not fixes:
        _say_without(report)
        raise click.exceptions.Exit(1)


def _say_without(report: Report) -> None:
    from whydied.report.terminal import fix_page

    first, *others = fix_page.without_fix(report)
    say(f"whydied: {first}", err=True)
    for sentence in others:
        say(sentence, err=True)


def _show(directory: RunDirectory, report: Report, fixes: list[Fix], chosen: int) -> None:
    """The words about it go elsewhere, so that the diff can be piped."""
    from whydied.read.recording import load
    from whydied.report.terminal import fix_page
    from whydied.report.terminal.console import console_on

    fix, number = fixes[chosen], chosen + 1
    say(fix_page.head(fix, number, len(fixes)), err=True)
    console = console_on(sys.stdout)
    if console.is_terminal:
        with patience("reading the recording"):
            recording = load(directory) if directory.streams.is_dir() else None
        for line in fix_page.coloured(fix_page.readable(recording, fix), console.encoding or "ascii"):
            console.print(line, soft_wrap=True)
    else:
        click.echo(fix_page.as_bytes(fix.patch or "", report.run.cwd), nl=False)
    options = [*(["--number", str(number)] if chosen else []), *(["--untested"] if fix.verdict == "untested" else [])]
    if fix.verdict != "refuted":
        say(f"To write it: {_asked('--apply', *options)}", err=True)


def _asked(*options: str) -> str:
    """This command with other options, for the run that it was asked for."""
    given = click.get_current_context().params
    wanted = [given["wanted"]] if given["wanted"] else []
    return shlex.join(["whydied", "fix", *wanted, *options, *(["--runs", str(given["runs"])] if given["runs"] else [])])


def _apply(directory: RunDirectory, fix: Fix, number: int, untested: bool) -> Applied:
    from whydied.prove.patching import application
    from whydied.prove.patching.rewritten_files import rewritten_files
    from whydied.read.recording import load

    if fix.verdict == "refuted":
        raise NotEditable(f"fix {number} was tried and does not help", "`whydied fix --list` shows the others")
    if fix.verdict == "untested" and not untested:
        raise NotEditable(
            f"fix {number} was not tried on the program", "`whydied prove` tries it; --untested writes it all the same"
        )
    if not fix.edits or not directory.streams.is_dir():
        raise NotEditable("the recording of this run is not here", "run it again with `whydied run`")
    known = application.applied(directory)
    try:
        with patience("reading the recording"):
            files = rewritten_files(load(directory), fix.edits)
    except NotEditable as error:
        if any(one.title == fix.title for one in known):
            raise NotEditable(
                f"this fix is written already: {fix.title}", "`whydied fix --undo` takes it back"
            ) from error
        if known:
            raise NotEditable(
                str(error), f"a fix of this run is written: --undo it first ({known[-1].title})"
            ) from error
        raise
    return application.apply(directory, fix.title, files)


def _say_written(written: Applied, directory: RunDirectory) -> None:
    from whydied.prove.patching import application

    for one in written.files:
        say(f"Wrote {one.file}; the file as it was: {one.backup}")
        if one.file.endswith(".ipynb"):
            say("If it is open in a browser, reload it there before you save it.")
    if application.applied(directory):
        say(f"To undo: {_asked('--undo')}")
    else:
        say("To undo, move the old file back: this run's directory cannot be written to.")


def _undo(wanted: str | None, runs: Path | None, as_json: bool) -> None:
    from whydied.prove.patching import application

    directory = catalogue.find(wanted, runs) if wanted is not None else _last_written(runs)
    undone = application.undo(directory)
    if as_json:
        _write_json({"schema": 1, "run": directory.id, "restored": [one.file for one in undone.files]})
        return
    for one in undone.files:
        say(f"Restored {one.file}")


def _last_written(runs: Path | None) -> RunDirectory:
    from whydied.prove.patching import application

    for directory in reversed(catalogue.all_runs(runs)):
        if application.applied(directory):
            return directory
    raise NotEditable("no run has a fix that is written")


def _print_json(directory: RunDirectory, fixes: list[Fix], chosen: int | None, written: Applied | None) -> None:
    import msgspec

    _write_json(
        {
            "schema": 1,
            "run": directory.id,
            "number": None if chosen is None else chosen + 1,
            "fixes": [{"number": at, **msgspec.to_builtins(fix)} for at, fix in enumerate(fixes, 1)],
            "written": [{"file": one.file, "backup": one.backup} for one in written.files] if written else [],
        }
    )


def _write_json(value: Any) -> None:
    import json

    from whydied.report.summary import finite

    put_json(json.dumps(finite(value), indent=2))
