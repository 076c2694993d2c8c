"""`whydied doctor`: what is wrong with this environment and machine, and what they let us see. Runs in the parent."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whydied.cli import runs_place
from whydied.errors import WhydiedError
from whydied.report.terminal.sentences import put_json, say

if TYPE_CHECKING:
    from whydied.doctor.all_checks import Examination
    from whydied.doctor.environment import Environment
    from whydied.doctor.machine import Check
    from whydied.doctor.trial import Trial

_MARKS = {"ok": ("ok", "green"), "missing": ("--", "yellow"), "risk": ("??", "yellow"), "broken": ("!!", "bold red")}
_WRONG, _OWN_FAULT = 1, 125


@click.command(short_help="Check this environment for problems.")
@click.option("--python", metavar="PATH", help="Check another environment: its interpreter or its directory.")
@click.option(
    "--import",
    "tries_import",
    is_flag=True,
    help="Also import TensorFlow in a separate process, and explain a failure.",
)
@click.option("--strict", is_flag=True, help="Treat risks (??) as failures too.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@runs_place.runs_option
@click.pass_context
def command(
    ctx: click.Context, python: str | None, tries_import: bool, strict: bool, as_json: bool, runs: Path | None
) -> None:
    """Check the installed packages, the processor, GPUs, limits and permissions, without importing TensorFlow.

    Each problem comes with its impact and a fix: broken (!!), a risk (??), or missing (--), which means that whydied
    will see less. The exit status is 1 if something is broken, 0 if not, and 125 if whydied itself failed.

    \b
    Examples:
      whydied doctor
      whydied doctor --import                       also import TensorFlow, and explain how that failed
      whydied doctor --python ~/venvs/tf/bin/python
      whydied doctor --json | jq '.checks[] | select(.status != "ok")'
    """
    try:
        status = _examine(python, tries_import, strict, as_json, runs)
    except (WhydiedError, BrokenPipeError):
        raise
    except Exception as error:
        _say_own_fault(error)
        status = _OWN_FAULT
    ctx.exit(status)


def _examine(python: str | None, tries_import: bool, strict: bool, as_json: bool, runs: Path | None) -> int:
    from whydied.doctor import environment as environments
    from whydied.doctor.all_checks import examine
    from whydied.doctor.machine import Machine
    from whydied.doctor.trial import attempt, trial_checks
    from whydied.report.patience import patience

    environment = environments.of(python) if python is not None else environments.own()
    with patience("checking this environment") as shown:
        examination = examine(Machine(runs=_absolute(runs_place.runs_places(runs)[0]), working=_working()), environment)
        shown.tells("importing TensorFlow")
        trial = attempt(environment) if tries_import else None
    if trial is not None:
        examination = examination._replace(checks=(*examination.checks, *trial_checks(trial)))
    wrong = examination.is_broken or (strict and examination.is_at_risk)
    status = _WRONG if wrong else _OWN_FAULT if examination.errors else 0
    if as_json:
        put_json(_json(environment, examination, trial, status))
    else:
        _print(examination.checks)
        for error in examination.errors:
            say(f"whydied: internal error in a check: {error.strip().splitlines()[-1]}", err=True)
    return status


def _absolute(path: Path) -> Path:
    try:
        return path.absolute()
    except OSError:
        return path


def _working() -> Path | None:
    """None if the working directory is gone."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _print(checks: Sequence[Check]) -> None:
    from rich.text import Text

    from whydied.report import plain
    from whydied.report.terminal.console import WIDEST, console_on, write
    from whydied.report.terminal.listing import Column, Listing

    console = console_on(sys.stdout, WIDEST)
    rows = []
    for check in checks:
        mark, style = _MARKS[check.status]
        lines = [check.found]
        lines += [f"impact: {check.impact}"] if check.impact else []
        lines += [f"fix: {check.fix}"] if check.fix else []
        phrase = "\n".join(plain.line(line) for line in lines)
        rows.append([Text(mark, style), Text(check.name), Text(phrase)])
    listing = Listing([Column(whole=True, lead=True), Column(whole=True, lead=True), Column(least=16)], rows)
    write([*listing.drawn(console), Text(_ending(checks), "bold")], console)


def _ending(checks: Sequence[Check]) -> str:
    from whydied import words

    counts = {status: sum(check.status == status for check in checks) for status in ("broken", "risk", "missing")}
    if not any(counts.values()):
        return "Everything is fine."
    broken, risk, missing = counts["broken"], words.count(counts["risk"], "risk"), counts["missing"]
    return f"{broken:,} broken (!!), {risk} (??), {missing:,} missing (--)."


def _json(environment: Environment, examination: Examination, trial: Trial | None, status: int) -> str:
    import json

    told: dict[str, Any] = {
        "schema": 1,
        "ok": status == 0,
        "python": {
            "executable": environment.executable,
            "version": environment.number,
            "prefix": os.fspath(environment.prefix),
        },
        "checks": [check._asdict() for check in examination.checks],
        "import": None if trial is None else trial._asdict(),
        "internal_errors": list(examination.errors),
    }
    return json.dumps(told, indent=2)


def _say_own_fault(error: Exception) -> None:
    import traceback

    if os.environ.get("WHYDIED_DEBUG") == "1":
        traceback.print_exception(error)
    say(f"whydied: internal error: {type(error).__name__}: {error}", err=True)
    say("hint: please report it, with the traceback that WHYDIED_DEBUG=1 prints", err=True)
