"""`whydied diff`: two runs side by side, and what made the second one fail. Runs in the parent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied import config
from whydied.cli import catalogue, page_file, runs_place
from whydied.errors import RunNotFound, UsageError
from whydied.report.patience import patience
from whydied.report.terminal.sentences import put_json

if TYPE_CHECKING:
    from whydied.compare.comparison import Comparison, Side
    from whydied.places import RunDirectory
    from whydied.report.compared import Compared
    from whydied.report.summary import Report


@click.command(
    short_help="Show what differs between a good run and a bad one.",
    epilog="GOOD and BAD are ids or parts of them, names given with 'run --name', or paths of runs' directories.",
)
@click.argument("good", metavar="[GOOD]", required=False)
@click.argument("bad", metavar="[BAD]", required=False)
@click.option("--prove", "proves", is_flag=True, help="Take the changed lines back one by one, in a sandbox, and run.")
@click.option("--time", "budget", metavar="TIME", default="15m", help="With --prove: a bound for trials (default 15m).")
@click.option("--allow-network", is_flag=True, help="With --prove: let the program use the network.")
@click.option("--all", "everything", is_flag=True, help="Show every difference.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON (schema 1) instead.")
@page_file.html_option
@page_file.open_option
@runs_place.runs_option
def command(
    good: str | None,
    bad: str | None,
    proves: bool,
    budget: str,
    allow_network: bool,
    everything: bool,
    as_json: bool,
    html: str | None,
    opened: bool,
    runs: Path | None,
) -> int:
    """Show what differs between two runs: the code as it ran, the model layer by layer, the data, the calls,
    versions, machine, memory and speed, and which of it accounts for the failure of the second.

    Without BAD it is the newest run that failed; without GOOD the newest one before it of the same program
    that finished without a fault.

    \b
    Examples:
      whydied diff                      the newest failure against the last run that was fine
      whydied diff monday tuesday       two runs that were given names
      whydied diff --prove              take each changed line back and run: which one did it?
      whydied diff ab12cd ef34ab --json | jq '.differences[.accounts]'
      whydied diff --html --open        both runs on a page, with charts

    The exit status is 0 if nothing differs, 1 if something does.
    """
    from whydied.compare.comparison import compared
    from whydied.report.compared import as_json as as_json_text
    from whydied.report.terminal import comparison_page, console

    if html is None and opened:
        raise UsageError("--open opens a page, and none is written", "add --html")
    second = catalogue.find(bad, runs) if bad else _newest_failure(runs)
    first = catalogue.find(good, runs) if good else _last_good(second, runs)
    with patience("comparing the two recordings"):
        reports = [catalogue.known(one).report for one in (first, second)]
        found = compared(_side(first), _side(second))
    remark = ""
    if proves:
        found, remark = _decided(found, config.parse_seconds(budget), allow_network)
    page = _page(found, reports, remark)
    if html is not None:
        from whydied.report.page.diff_page import diff_page

        text = diff_page(page, [found.good.case.recording, found.bad.case.recording])
        page_file.deliver(text, html, second.path / "diff.html", opened=opened)
    elif as_json:
        put_json(as_json_text(page))
    else:
        target = console.console_on(sys.stdout)
        console.write(comparison_page.lines(page, target, everything=everything), target)
    return 1 if found.differences else 0


def _page(found: Comparison, reports: list[Report], remark: str) -> Compared:
    from whydied.report.compared import Compared

    accounts = found.accounts
    return Compared(
        good=reports[0],
        bad=reports[1],
        differences=found.differences,
        accounts=found.differences.index(accounts) if accounts is not None else None,
        remark=remark,
    )


def _side(directory: RunDirectory) -> Side:
    from whydied.compare.comparison import Side
    from whydied.diagnose.case import Case
    from whydied.diagnose.engine import diagnose
    from whydied.read.recording import load

    recording = load(directory)
    case = Case(recording)
    return Side(case, diagnose(recording, config.of_working_directory().silence, case))


def _decided(found: Comparison, budget_s: float, allow_network: bool) -> tuple[Comparison, str]:
    from whydied.prove.prover import Plan
    from whydied.prove.taking_back import decided
    from whydied.report.proving import laboratory_for
    from whydied.report.terminal.proof_display import display_on

    with display_on(sys.stderr) as display:
        laboratory = laboratory_for(found.bad.case.recording, display, allow_network=allow_network)
        done = decided(found, laboratory, Plan(budget_s=budget_s), display)
    return done.comparison, done.remark


def _newest_failure(runs: Path | None) -> RunDirectory:
    for directory in reversed(catalogue.all_runs(runs)):
        if catalogue.known(directory).report.cause is not None:
            return directory
    raise RunNotFound("there is no run that failed", "name two runs: whydied diff GOOD BAD")


def _last_good(bad: RunDirectory, runs: Path | None) -> RunDirectory:
    """The newest run before it of the same program that was fine."""
    wanted = _program(catalogue.known(bad).report)
    known = catalogue.all_runs(runs)
    ids = [one.id for one in known]
    for directory in reversed(known[: ids.index(bad.id)] if bad.id in ids else known):
        report = catalogue.known(directory).report
        if report.outcome == "finished" and report.cause is None and _program(report) == wanted:
            return directory
    raise RunNotFound(f"no earlier run of {wanted} was fine", "name both: whydied diff GOOD BAD")


def _program(report: Report) -> str:
    from whydied.report import headline

    return headline.program(report)
