"""`whydied estimate`: what the first step of a program would take, before it runs. Runs in the parent.

The program runs in a child as under `whydied run`, up to its first training or inference step, which is traced and not
run; there it ends. Its own output goes to stderr where JSON is asked for, so that stdout has nothing but that.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from whydied import words
from whydied.cli import page_file
from whydied.cli.run import RunCommand
from whydied.errors import UsageError, WhydiedError
from whydied.linux import proc
from whydied.report.patience import is_watched, patience
from whydied.report.terminal.sentences import put_json, say

if TYPE_CHECKING:
    from whydied.sizing.estimate import Estimate

_PAGE = "whydied-estimate.html"
"""In the working directory: there is no recording to put it beside."""
_NOTHING = 3
"""The exit status where the program made no step that could be traced."""
_HTML = "--html"


class EstimateCommand(RunCommand):
    """Our options may stand behind the script too; what follows `--` there is the script's, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = self._with_pages(args)
        own, form, given = self._split(args)
        if form == "command" or not given:
            return super().parse_args(ctx, args)
        takes = {
            name: not option.is_flag
            for option in self.params
            if isinstance(option, click.Option)
            for name in option.opts
        }
        kept, rest = [given[0]], given[1:]
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

    def _with_pages(self, args: list[str]) -> list[str]:
        """`--html` takes the word behind it only where that names a page: it may be the script, or the script's."""
        if not any(_HTML in option.opts for option in self.params):
            return args
        found: list[str] = []
        rest = list(args)
        while rest:
            word = rest.pop(0)
            if word == "--":
                return [*found, word, *rest]
            if word == _HTML:
                names_page = bool(rest) and (rest[0] == "-" or rest[0].endswith((".html", ".htm")))
                word = f"{_HTML}={rest.pop(0) if names_page else page_file.BESIDE}"
            found.append(word)
        return found


@click.command(
    cls=EstimateCommand,
    short_help="Predict the memory of a program before it runs.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--batch-size", "batches", metavar="N[,N]...", help="Predict for these batch sizes too.")
@click.option("--limit", metavar="SIZE", help="Memory that there is, such as 8G (default: what this process may have).")
@click.option(
    "--device-memory", metavar="SIZE", help="Memory of a GPU, such as 24G: name the largest batch for it too."
)
@click.option("--no-run", is_flag=True, help="Do not run a tiny step to calibrate the memory of the process.")
@click.option("--verify", is_flag=True, help="Run real steps under the limit to check the largest batch.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@page_file.html_to(f"as {_PAGE} or to FILE ending in .html ('-': stdout)")
@page_file.open_option
@click.option("--timeout", metavar="TIME", help="Give up if no step was reached after this time, such as 5m.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=False)
@click.pass_context
def command(
    ctx: click.Context,
    batches: str | None,
    limit: str | None,
    device_memory: str | None,
    no_run: bool,
    verify: bool,
    as_json: bool,
    html: str | None,
    opened: bool,
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
      whydied estimate train.py --html --open                     a page with charts, one file that works offline
      whydied estimate train.py --epochs 5 --json                 what is not an option of ours is the script's
      whydied estimate train.py --limit 8G -- --batch-size 64     and all that follows --
    """
    if html is None and opened:
        raise UsageError("--open opens a page, and none is written", "add --html")
    chosen = _batches(batches)
    output_apart = as_json or html == "-"
    from whydied.config import parse_memory_limit, parse_seconds
    from whydied.sizing.memory_limit import own_limit_bytes

    limit_bytes = parse_memory_limit(limit) if limit else own_limit_bytes()
    wish = _Wish(
        chosen,
        limit_bytes,
        parse_memory_limit(device_memory) if device_memory else None,
        not no_run,
        output_apart,
        parse_seconds(timeout) if timeout else None,
    )
    found = _estimated(program, wish)
    if verify and found.calls:
        found = _verified(found, program, output_apart)
    if html is not None:
        _to_page(found, program, html, opened)
    else:
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


class _Wish(NamedTuple):
    """What was asked for."""

    batches: tuple[int, ...]
    limit_bytes: int
    device_bytes: int | None
    calibrates: bool
    output_apart: bool
    timeout_s: float | None


def _estimated(program: tuple[str, ...], wish: _Wish) -> Estimate:
    from whydied.cli.run import command_of
    from whydied.sizing.answer import answer
    from whydied.sizing.first_step import first_step, output_to_stderr

    enter = output_to_stderr if wish.output_apart else None
    command = command_of(program)
    tell_of_first_step()
    with first_step(command, calibrates=wish.calibrates, timeout_s=wish.timeout_s, enter=enter) as found:
        if found.has_failed:
            why = f": {found.step.reason}" if found.step is not None else ""
            raise WhydiedError(f"the program ended with status {found.exit_status} before its first step{why}")
        step, table = found.step, found.table
    began = time.perf_counter()
    with patience("predicting the memory of the step"), _without_collections():
        told = answer(step, table, wish.batches, wish.limit_bytes, wish.device_bytes)
    spent_s = round((step.spent_s if step is not None else 0.0) + time.perf_counter() - began, 3)
    return told._replace(calls=tuple(call._replace(estimate_s=spent_s) for call in told.calls))


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """An unrolled loop is a million small objects without a cycle: looking for one takes a fifth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def tell_of_first_step() -> None:
    """Once and not over and over: the lines that follow are the program's own."""
    if is_watched(sys.stderr):
        say("whydied: running the program up to its first step", err=True)


def _verified(found: Estimate, program: tuple[str, ...], output_apart: bool) -> Estimate:
    """With the largest batch as real steps under the limit say. Each trial runs the program anew up to its step."""
    from whydied.cli.run import command_of
    from whydied.sizing.crossing import Trial
    from whydied.sizing.limited_steps import TrialFailed, trial
    from whydied.sizing.verification import Curve, verified

    call = found.calls[0]
    limit = found.limit_bytes
    free = proc.field_bytes(proc.read("/proc/meminfo"), b"MemAvailable") or 0
    if limit > free:
        say("whydied: not verified: the limit is above what this machine has free", err=True)
        return found

    def attempt(rows: int) -> Trial:
        seen = trial(command_of(program), rows, limit, output_apart)
        told = f"ran, {words.size(seen.peak_bytes)} at most" if seen.ran else "did not run"
        say(f"whydied: a batch of {rows:,} {told} under the limit", err=True)
        return seen

    needed = {one.batch_size: one.peak_rss_bytes - call.mapped_bytes for one in call.curve}
    try:
        batch, sure = verified(attempt, Curve(needed), limit, call.largest_batch.batch_size)
    except TrialFailed as error:
        say(f"whydied: not verified: {error}", err=True)
        return found
    largest = call.largest_batch._replace(batch_size=batch, verified=sure)
    return found._replace(calls=(call._replace(largest_batch=largest),))


def _to_page(found: Estimate, program: tuple[str, ...], html: str, opened: bool) -> None:
    from whydied.report.page.plan_page import plan_page

    page_file.deliver(plan_page(found, " ".join(program[1:])), html, Path(_PAGE), opened=opened)


def _print(found: Estimate, as_json: bool) -> None:
    from whydied.report import estimate_page

    if as_json:
        put_json(estimate_page.as_json(found))
    else:
        estimate_page.show(found, sys.stdout)
