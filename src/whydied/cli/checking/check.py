"""`whydied check`: what can be known of a program before it trains: its code, its data, its memory, its environment.
Runs in the parent; the program runs in a child, up to its first step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied.cli.estimate import EstimateCommand, tell_of_first_step
from whydied.report.patience import patience
from whydied.report.terminal.sentences import put_json

if TYPE_CHECKING:
    from whydied.cli.checking.examined import Examined
    from whydied.diagnose.finding import Finding
    from whydied.doctor.machine import Check
    from whydied.lint.checking import Checked
    from whydied.read.recording import Recording
    from whydied.records import ContractBroken, DataSeen
    from whydied.sizing.estimate import Estimate
    from whydied.sizing.first_step import FirstStep

_WRONG = 1


@click.command(
    cls=EstimateCommand,
    short_help="Check code, data, memory and environment before a training.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--limit", metavar="SIZE", help="Memory that there is, such as 8G (default: what this process may have).")
@click.option("--timeout", metavar="TIME", help="Give up if no step was reached after this time, such as 5m.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=False)
@click.pass_context
def command(
    ctx: click.Context, limit: str | None, timeout: str | None, as_json: bool, program: tuple[str, ...]
) -> None:
    """Run a program up to its first training or inference step, and check what can be checked by then: its code
    (lint), its data against what the model and its loss ask of them, the memory that the step needs, and this
    environment. A program that fails before its first step is explained. Nothing is trained.

    \b
    Examples:
      whydied check train.py
      whydied check train.py --limit 8G --epochs 5     what is not an option of ours is the script's
      whydied check -m mypackage.train --json

    The exit status is 0 if nothing is wrong, 1 if something is: for CI.
    """
    from whydied.cli.checking import check_display
    from whydied.config import parse_memory_limit, parse_seconds
    from whydied.sizing.memory_limit import own_limit_bytes

    limit_bytes = parse_memory_limit(limit) if limit else own_limit_bytes()
    found = _examined(program, limit_bytes, parse_seconds(timeout) if timeout else None, as_json)
    if as_json:
        put_json(check_display.as_json(found))
    else:
        check_display.show(found, sys.stdout)
    ctx.exit(0 if found.is_well else _WRONG)


def _examined(program: tuple[str, ...], limit_bytes: int, timeout_s: float | None, as_json: bool) -> Examined:
    from whydied.cli.checking.examined import Examined
    from whydied.cli.run import command_of
    from whydied.read.recording import load
    from whydied.sizing.first_step import first_step, output_to_stderr

    enter = output_to_stderr if as_json else None
    tell_of_first_step()
    with (
        first_step(command_of(program), calibrates=True, timeout_s=timeout_s, enter=enter) as found,
        patience("checking code, data and memory"),
    ):
        recording = load(found.directory)
        reached = found.step is not None and not found.has_failed
        return Examined(
            program=" ".join(program[1:]),
            failure=None if reached else _failure(recording),
            exit_status=0 if reached else found.exit_status,
            code=_linted(recording, program),
            data=_seen(recording),
            broken=_broken(recording),
            memory=_memory(found, limit_bytes),
            environment=_environment(),
        )


def _failure(recording: Recording) -> Finding | None:
    from whydied import config
    from whydied.diagnose.engine import diagnose

    return diagnose(recording, config.of_working_directory().silence).cause


def _memory(found: FirstStep, limit_bytes: int) -> Estimate:
    from whydied.sizing.answer import answer

    return answer(found.step, found.table, (), limit_bytes)


def _linted(recording: Recording, program: tuple[str, ...]) -> Checked:
    """The files of the program that were loaded; the script alone where none was seen."""
    from whydied import config
    from whydied.lint.checking import chosen
    from whydied.lint.project_files import check_files
    from whydied.lint.rules_table import STATIC_RULES

    files = [Path(file) for file in recording.project if file.endswith(".py") and Path(file).is_file()]
    files = files or [Path(word) for word in program[1:2] if word.endswith(".py")]
    settings = config.of_working_directory().lint
    return check_files(sorted(files), chosen(STATIC_RULES, settings.select, settings.ignore))


def _seen(recording: Recording) -> list[DataSeen]:
    from whydied.records import DataSeen

    found = {(one.kind, one.name): one for process in recording.processes for one in process.all(DataSeen)}
    return list(found.values())


def _broken(recording: Recording) -> list[ContractBroken]:
    from whydied.records import ContractBroken

    return [one for process in recording.processes for one in process.all(ContractBroken)]


def _environment() -> list[Check]:
    """What is broken or a risk."""
    import os

    from whydied.cli.runs_place import runs_places
    from whydied.doctor import environment
    from whydied.doctor.all_checks import examine
    from whydied.doctor.machine import Machine

    machine = Machine(runs=Path(os.path.abspath(runs_places(None)[0])), working=Path.cwd())
    return [one for one in examine(machine, environment.own()).checks if one.status in ("broken", "risk")]
