"""`whydied estimate`: what the first step of a program would take, before it runs. Runs in the parent.

The program runs in a child as under `whydied run`, up to its first training or inference step, which is traced and not
run; there it ends. Its own output goes to stderr where JSON is asked for, so that stdout has nothing but that.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied.cli.run import RunCommand
from whydied.errors import UsageError, WhydiedError
from whydied.linux import proc
from whydied.report.patience import is_watched, patience
from whydied.report.terminal.sentences import put_json, say

if TYPE_CHECKING:
    from whydied.sizing.estimate import Estimate

_NOTHING = 3
"""The exit status where the program made no step that could be traced."""


class EstimateCommand(RunCommand):
    """Our options may stand behind the script too; what follows `--` there is the script's, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own, form, words = self._split(args)
        if form == "command" or not words:
            return super().parse_args(ctx, args)
        takes = {
            name: not option.is_flag
            for option in self.params
            if isinstance(option, click.Option)
            for name in option.opts
        }
        kept, rest = [words[0]], words[1:]
        while rest:
            word = rest.pop(0)
            name, equals, _ = word.partition("=")
            if word == "--":
                kept += rest
                break
            if name in takes:
                own.append(word)
                if takes[name] and not equals and rest:
                    own.append(rest.pop(0))
            else:
                kept.append(word)
        lead = ["-m"] if form == "module" else []
        return super().parse_args(ctx, [*own, *lead, *kept])


@click.command(
    cls=EstimateCommand,
    short_help="Predict the memory of a program before it runs.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--batch-size", "batches", metavar="N[,N]...", help="Predict for these batch sizes too.")
@click.option("--limit", metavar="SIZE", help="Memory that there is, such as 8G (default: what this process may have).")
@click.option("--no-run", is_flag=True, help="Do not run a tiny step to calibrate the memory of the process.")
@click.option("--verify", is_flag=True, help="Run real steps under the limit to check the largest batch.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--timeout", metavar="TIME", help="Give up if no step was reached after this time, such as 5m.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=False)
@click.pass_context
def command(
    ctx: click.Context,
    batches: str | None,
    limit: str | None,
    no_run: bool,
    verify: bool,
    as_json: bool,
    timeout: str | None,
    program: tuple[str, ...],
) -> None:
    """Run a program up to its first training or inference step, and predict what that step takes.

    The step is traced, not run: fit, evaluate, predict, their ..._on_batch kin, or a tf.function that uses trainable
    variables. Tells the peak by batch size, by layer, what is alive at the peak, and the largest batch that fits.

    \b
    Examples:
      whydied estimate train.py
      whydied estimate train.py --batch-size 8,32,128 --limit 8G
      whydied estimate train.py --epochs 5 --json                 what is not an option of ours is the script's
      whydied estimate train.py --limit 8G -- --batch-size 64     and all that follows --
    """
    chosen = _batches(batches)
    from whydied.config import parse_memory_limit, parse_seconds
    from whydied.sizing.memory_limit import own_limit_bytes

    limit_bytes = parse_memory_limit(limit) if limit else own_limit_bytes()
    found = _estimated(program, chosen, limit_bytes, not no_run, as_json, parse_seconds(timeout) if timeout else None)
    if verify and found.calls:
        found = _verified(found, program, as_json)
    _print(found, as_json)
    ctx.exit(0 if found.calls else _NOTHING)


def _batches(text: str | None) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"{text!r} is not a list of batch sizes", "write it like --batch-size 8,32") from None
    if any(batch < 1 for batch in found):
        raise UsageError("a batch has at least one row", "write it like --batch-size 8,32")
    return found


def _estimated(
    program: tuple[str, ...],
    batches: tuple[int, ...],
    limit_bytes: int,
    calibrates: bool,
    as_json: bool,
    timeout_s: float | None,
) -> Estimate:
    from whydied.sizing.estimate import Estimate, estimate_step

    step, table = _traced(program, calibrates, as_json, timeout_s)
    if step is None or table is None:
        reason = step.reason if step is not None else "the program ended before its first step"
        return Estimate((), limit_bytes, reason)
    began = time.perf_counter()
    with patience("predicting the memory of the step"):
        call = estimate_step(step, table, batches, limit_bytes)
    spent_s = round(step.spent_s + time.perf_counter() - began, 3)
    return Estimate((call._replace(estimate_s=spent_s),), limit_bytes)


def _traced(
    program: tuple[str, ...], calibrates: bool, as_json: bool, timeout_s: float | None
) -> tuple[TracedStep | None, Table | None]:
    from whydied.cli.run import command_of
    from whydied.sizing.first_step import first_step, output_to_stderr

    enter = output_to_stderr if as_json else None
    tell_of_first_step()
    with first_step(command_of(program), calibrates=calibrates, timeout_s=timeout_s, enter=enter) as found:
        if found.has_failed:
            why = f": {found.step.reason}" if found.step is not None else ""
            raise WhydiedError(f"the program ended with status {found.exit_status} before its first step{why}")
        return found.step, found.table


def tell_of_first_step() -> None:
    """Once and not over and over: the lines that follow are the program's own."""
    if is_watched(sys.stderr):
        say("whydied: running the program up to its first step", err=True)


def _verified(found: Estimate, program: tuple[str, ...], as_json: bool) -> Estimate:
    """With the largest batch as real steps under the limit say. Each trial runs the program anew up to its step."""
    from whydied.sizing.verification import verified

    call = found.calls[0]
    limit = found.limit_bytes
    free = proc.field_bytes(proc.read("/proc/meminfo"), b"MemAvailable") or 0
    if limit > free:
        say("whydied: not verified: the limit is above what this machine has free", err=True)
        return found
    if call.kind == "session_run":
        say("whydied: not verified: steps of a session cannot be tried", err=True)
        return found

    def fits(rows: int) -> bool:
        held = _trial(program, rows, limit, as_json)
        say(f"whydied: a batch of {rows:,} {'ran' if held else 'did not run'} under the limit", err=True)
        return held

    batch, sure = verified(fits, call.largest_batch.batch_size)
    largest = call.largest_batch._replace(batch_size=batch, verified=sure)
    return found._replace(calls=(call._replace(largest_batch=largest),))


def _trial(program: tuple[str, ...], rows: int, limit_bytes: int, as_json: bool) -> bool:
    """Whether real steps of so many rows come to their end under the limit."""
    from whydied.cli.run import command_of
    from whydied.graph import traced_step
    from whydied.run.supervise import RunRequest, supervise
    from whydied.sizing.first_step import output_to_stderr

    folder = Path(tempfile.mkdtemp(prefix="whydied-estimate-"))
    try:
        outcome = supervise(
            RunRequest(
                command_of(program),
                runs=folder,
                options=("no-numerics", "estimate", f"{traced_step.TRIAL_WORD}{rows}"),
                memory_limit_bytes=limit_bytes,
                enter=output_to_stderr if as_json else None,
            )
        )
        return (outcome.directory.path / traced_step.DIRECTORY / traced_step.TRIAL_FILE).exists()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _print(found: Estimate, as_json: bool) -> None:
    from whydied.cli import estimate_display

    if as_json:
        put_json(estimate_display.as_json(found))
    else:
        estimate_display.show(found, sys.stdout)


if TYPE_CHECKING:
    from whydied.graph.op_table import Table
    from whydied.graph.traced_step import TracedStep
