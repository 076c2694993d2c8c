"""The command line. Runs in the parent.

Invariant: a subcommand's module is imported only when that command is used, so `whydied --help`
stays quick; a user sees one sentence and a hint, never our traceback (`WHYDIED_DEBUG=1` shows it).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

import click

from whydied import __version__
from whydied.errors import UsageError, WhydiedError
from whydied.report.terminal.help_layout import HelpContext, lay_out
from whydied.report.terminal.sentences import say, spell_on


class Entry(NamedTuple):
    module: str
    summary: str


COMMANDS: dict[str, Entry] = {
    "run": Entry("whydied.cli.run", "Run a program and say why it died, if it does."),
    "show": Entry("whydied.cli.show", "Show the report of a run, the newest by default."),
    "prove": Entry("whydied.cli.prove", "Try on the program what would remove its failure."),
    "fix": Entry("whydied.cli.fix", "Show the change that fixes a run, or write it."),
    "diff": Entry("whydied.cli.diff", "Show what differs between a good run and a bad one."),
    "check": Entry("whydied.cli.checking.check", "Check code, data, memory and environment before a training."),
    "runs": Entry("whydied.cli.runs", "List the recorded runs, or remove old ones."),
    "serve": Entry("whydied.cli.serve", "Show the runs and their reports in a browser."),
    "top": Entry("whydied.cli.top", "Watch a running program: memory, steps, loss, findings."),
    "peek": Entry("whydied.cli.peek", "Show what a running program holds in memory."),
    "contract": Entry("whydied.cli.contract", "Show what a run's data looked like, and write tests for them."),
    "lint": Entry("whydied.cli.lint", "Check code for faults that crash, without running it."),
    "explain": Entry("whydied.cli.explain", "Explain a code, such as MEM001."),
    "export": Entry("whydied.cli.export", "Write a redacted copy of a run to share."),
    "kernel": Entry("whydied.cli.kernel", "Manage notebook kernels that say why they died."),
    "estimate": Entry("whydied.cli.estimate", "Predict the memory of a program before it runs."),
    "mcp": Entry("whydied.cli.mcp", "Serve runs and reports to a coding assistant."),
    "doctor": Entry("whydied.cli.doctor", "Check this machine and environment for problems."),
}


ANYWHERE = frozenset({"doctor", "lint"})
"""Commands that work without POSIX: they read files only."""


class LazyGroup(click.Group):
    context_class = HelpContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        if cmd_name not in ANYWHERE and not hasattr(os, "fork"):
            raise UsageError(
                f"`whydied {cmd_name}` needs Linux",
                "on Windows use WSL 2; `whydied doctor` works here too",
            )
        command = importlib.import_module(entry.module).command
        assert isinstance(command, click.Command)
        lay_out(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in COMMANDS or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"No such command '{name}'.{_suggestion(name)}", ctx)


def _suggestion(name: str) -> str:
    if name.endswith(".py") or os.path.isfile(name):
        return f" Did you mean 'whydied run {name}'?"
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, 1)
    return f" Did you mean '{near[0]}'?" if near else ""


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Run 'whydied COMMAND --help' for examples.",
)
@click.version_option(__version__, prog_name="whydied", message="%(prog)s %(version)s")
def group() -> None:
    """Find out why a TensorFlow or Keras program died: the line, the evidence, and what to do.

    \b
    Examples:
      whydied run train.py --epochs 5     run it as usual; a report follows if it dies
      whydied show                        the report of the newest run, again
      whydied explain MEM001              what a code means
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    spell_on(sys.stdout, sys.stderr)
    try:
        status = _invoke(sys.argv[1:] if argv is None else list(argv))
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except WhydiedError as error:
        return _refuse(str(error), error.hint, error.exit_status)
    except click.ClickException as error:
        with contextlib.suppress(OSError, ValueError):
            _show_misuse(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        _forget_stdout()
        return 141
    except Exception as error:
        return _own_fault(error)


def _invoke(arguments: list[str]) -> int:
    """What click's own `main` does, without its answers to a closed pipe (status 1) and to Ctrl-C (an empty line)."""
    if "_WHYDIED_COMPLETE" in os.environ:
        group.main(args=arguments, prog_name="whydied")
    try:
        with group.make_context("whydied", arguments) as context:
            status = group.invoke(context)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    return status if isinstance(status, int) else 0


def _show_misuse(error: click.ClickException) -> None:
    """What click would print, within the width of the terminal."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        say(context.get_usage(), err=True)
        say(f"Try '{context.command_path} --help' for help.\n", err=True)
    say(f"Error: {error.format_message()}", err=True, hanging=2)


def _refuse(sentence: str, hint: str | None, status: int) -> int:
    # stderr may be closed or full; the exit status still tells.
    with contextlib.suppress(OSError, ValueError):
        say(f"whydied: {sentence}", err=True)
        if hint:
            say(f"hint: {hint}", err=True, hanging=2)
    return status


def _own_fault(error: Exception) -> int:
    import traceback

    if os.environ.get("WHYDIED_DEBUG") == "1":
        traceback.print_exception(error)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "whydied" in frame.filename]
    place = f"{os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}" if frames else "an unknown place"
    return _refuse(
        f"internal error in {place}: {type(error).__name__}: {error}",
        "please report it, with the traceback that WHYDIED_DEBUG=1 prints",
        1,
    )


def _forget_stdout() -> None:
    """Points stdout at nothing: the interpreter flushes it once more at its end, and would complain."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
