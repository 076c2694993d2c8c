"""`whydied run`: run a program as usual, and say why it died if it does. Runs in the parent.

Invariant: the exit status is the program's, whatever happens to our report; before the program has started, a
failure of whydied exits with 125; the JSON file is written whole or not at all, also when the program never started.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied import config
from whydied.config import Config
from whydied.errors import NotStarted, UsageError, WhydiedError
from whydied.report import plain
from whydied.report.terminal.sentences import put_json, say

if TYPE_CHECKING:
    from whydied.cli.healing import Healer
    from whydied.report.summary import Report
    from whydied.run.command import Command
    from whydied.run.supervise import RunOutcome

NOT_STARTED = 125
RESTARTS = 2


class RunCommand(click.Command):
    """Splits the line where the program begins: all that follows a script, `-m` or `--` belongs to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own, form, words = self._split(args)
        own = [f"--heal={RESTARTS}" if word == "--heal" else word for word in own]
        return super().parse_args(ctx, [*own, "--", form, *words] if words else own)

    def _split(self, args: list[str]) -> tuple[list[str], str, list[str]]:
        takes_value = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        } - {"--heal"}
        at = 0
        while at < len(args):
            word = args[at]
            if word == "--":
                return args[:at], "command", args[at + 1 :]
            if word == "-m":
                return args[:at], "module", args[at + 1 :]
            if word.startswith("-m") and not word.startswith("--"):
                return args[:at], "module", [word[2:], *args[at + 1 :]]
            if not word.startswith("-") or word == "-":
                return args[:at], "script", args[at:]
            at += 2 if word in takes_value else 1
        return args, "script", []

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS] SCRIPT [ARGS]... | -m MODULE [ARGS]... | -- COMMAND [ARGS]..."]


@click.command(cls=RunCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--name", metavar="NAME", help="Name the run, so that you can find it again.")
@click.option("--label", "labels", metavar="KEY=VALUE", multiple=True, help="Attach a label; repeatable.")
@click.option("--runs", metavar="DIR", type=click.Path(path_type=Path), help="Where to put the recording.")
@click.option("--memory-limit", metavar="SIZE", help="Limit the program's memory, such as 4G.")
@click.option("--memory-guard", is_flag=True, help="Raise MemoryError when memory runs low, before the kernel kills.")
@click.option("--timeout", metavar="TIME", help="Terminate the program after this time, such as 30s, 5m or 2h.")
@click.option(
    "--hang-after",
    metavar="TIME",
    default="2m",
    help="Report a hang after this long without progress (default 2m; 0 disables).",
)
@click.option("--stop-on-hang", is_flag=True, help="Terminate the program when it hangs.")
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON (- for stdout).")
@click.option("--quiet", is_flag=True, help="Do not print a report.")
@click.option("--pdb", is_flag=True, help="Open the debugger on an uncaught exception.")
@click.option("--stop-on-nan", is_flag=True, help="Stop before the first NaN or infinity reaches the weights.")
@click.option("--no-numerics", is_flag=True, help="Do not watch for NaN and infinity.")
@click.option("--prove", is_flag=True, help="If it dies, try on it what would mend it (see 'whydied prove --help').")
@click.option(
    "--heal",
    metavar="[=N]",
    type=click.IntRange(1),
    help=f"If it dies, start it again with a proved change, at most N times (default {RESTARTS}).",
)
@click.option(
    "--heal-harm",
    type=click.Choice(["exact", "same", "any"]),
    default="any",
    help="What such a change may do: nothing to any number, rounding and order, or anything (default any).",
)
@click.option("--backup", metavar="DIR", hidden=True, default="", help="Go on with the trainings kept in DIR.")
@click.option("--no-replay", is_flag=True, help="Do not replay a bad training step after the program has ended.")
@click.option(
    "--no-trials", is_flag=True, help="Do not run the program with what the report advises before it is shown."
)
@click.option("--watch", metavar="GLOB", multiple=True, help="Log outputs, weights, gradients of layers matching GLOB.")
@click.option("--watch-every", metavar="N", type=click.IntRange(1), default=50, help="Log every Nth step (default 50).")
@click.option(
    "--watch-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write event files to DIR instead of the run's directory.",
)
@click.option(
    "--logdir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write curves, graph and findings to DIR for TensorBoard.",
)
@click.option("--note", type=click.Choice(["mlflow"]), help="If it dies, say why in the description of its MLflow run.")
@click.option("--github", is_flag=True, help="Annotate the GitHub job that runs this, and write its summary.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=False)
def command(
    name: str | None,
    labels: tuple[str, ...],
    runs: Path | None,
    memory_limit: str | None,
    memory_guard: bool,
    timeout: str | None,
    hang_after: str,
    stop_on_hang: bool,
    json_file: str | None,
    quiet: bool,
    pdb: bool,
    stop_on_nan: bool,
    no_numerics: bool,
    prove: bool,
    heal: int | None,
    heal_harm: str,
    backup: str,
    no_replay: bool,
    no_trials: bool,
    watch: tuple[str, ...],
    watch_every: int,
    watch_dir: Path | None,
    logdir: Path | None,
    github: bool,
    note: str | None,
    program: tuple[str, ...],
) -> int:
    """Run a program as usual. If it dies, print a report that says why.

    \b
    Examples:
      whydied run train.py --epochs 5            options after the script are the script's
      whydied run -m mypackage.train             a module
      whydied run -- bash experiment.sh          any command; every Python process below it is recorded
      whydied run notebook.ipynb                 all cells of a notebook, without a server
      whydied run --memory-limit 4G train.py     the program gets at most 4 GiB
      whydied run --timeout 2h --json r.json train.py
      whydied run --logdir logs train.py         its memory and findings beside your curves in TensorBoard
      whydied run --prove train.py               after a death, try what would mend it, in a sandbox
      whydied run --heal train.py                after a death, go on with what was proved to mend it

    Output, exit status (128+N for signal N), signals and terminal are the same as without whydied. The report goes
    to standard error after the program's last byte. If the program cannot be started, the exit status is 125.
    """
    shown = list(program[1:])
    try:
        _require_linux()
        from whydied.report import delivery
        from whydied.run import signals
        from whydied.run.opening import requests_from
        from whydied.run.supervise import RunRequest, supervise

        settings = config.of_working_directory()
        program_command = command_of(program)
        outlets = delivery.prepare(delivery.Outlets(logdir=logdir, github=github, note=note))
        is_notebook = program_command.form == "notebook"
        wanted = RunRequest(
            command=program_command,
            runs=runs or settings.runs,
            name=name,
            labels=tuple(_label(label) for label in labels),
            memory_limit_bytes=config.parse_memory_limit(memory_limit) if memory_limit else None,
            timeout_s=config.parse_seconds(timeout) if timeout else None,
            options=_options(
                pdb=pdb,
                stop_on_nan=stop_on_nan,
                no_numerics=no_numerics,
                memory_guard=memory_guard and is_notebook,
                program_guard=memory_guard and not is_notebook,
                hold_copy=not (no_trials or no_replay or memory_limit),
            ),
            wishes=requests_from(settings, watch, watch_every, watch_dir, backup),
            hang_after_s=config.parse_seconds(hang_after),
            stop_on_hang=stop_on_hang,
            say=None if quiet else _say_whole,
        )
        healer = _healer(heal, heal_harm, settings, quiet)
        following: RunRequest | None = healer.first(wanted) if healer else wanted
        while following:
            wanted = following
            with signals.blocked() as mask:
                outcome = supervise(wanted, mask)
                _report(outcome, shown, settings, json_file, quiet, replay=not no_replay)
                if runs is None:
                    _prune(settings)
            following = healer.next(wanted, outcome) if healer and outcome.failure is None else None
        if healer and json_file:
            _write_stored(json_file, outcome)
        if prove and not healer and outcome.failure is None:
            _prove(outcome, settings, json_file, quiet)
        with signals.blocked():
            delivery.deliver(outlets, outcome.directory, _say, quiet=quiet)
        return outcome.exit_status
    except UsageError:
        raise
    except Exception as error:
        return _failed_before_start(error, shown, json_file)


def _healer(most: int | None, harm: str, settings: Config, quiet: bool) -> Healer | None:
    if most is None:
        return None
    from whydied.cli.healing import Healer

    return Healer(most, harm, settings.silence, _say, quiet=quiet)


def _require_linux() -> None:
    if sys.platform != "linux":
        raise NotStarted(
            f"whydied run needs Linux (/proc, cgroups); this is {sys.platform}",
            "use a Linux container; recordings made there can be read here with `whydied show`",
        )


def command_of(program: tuple[str, ...]) -> Command:
    from whydied.run.command import Command

    if len(program) < 2 or not program[1]:
        raise UsageError(
            "nothing to run", "write: whydied run train.py, whydied run -m module, or whydied run -- command"
        )
    form, *words = program
    if form == "script" and words[0].endswith(".ipynb"):
        form = "notebook"
        _require_nbclient()
    assert form in ("script", "module", "command", "notebook")
    return Command(form, tuple(words))  # type: ignore[arg-type]


def _require_nbclient() -> None:
    from importlib.util import find_spec

    missing = [name for name in ("nbclient", "nbformat", "ipykernel") if find_spec(name) is None]
    if missing:
        raise NotStarted(
            f"running a notebook needs {' and '.join(missing)} in {sys.prefix}",
            f"{sys.executable} -m pip install {' '.join(missing)}",
        )


def _options(**chosen: bool) -> tuple[str, ...]:
    """Words for the recorder, as in `places.ENV_OPTIONS`."""
    return tuple(word.replace("_", "-") for word, wanted in chosen.items() if wanted)


def _label(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not key or not sign:
        raise UsageError(f"{text!r} is not a label", "write it like --label model=resnet")
    return key, value


def _report(
    outcome: RunOutcome, shown: list[str], settings: Config, json_file: str | None, quiet: bool, *, replay: bool
) -> None:
    """Make, store and show the report. Nothing that fails here changes the program's exit status."""
    if outcome.failure is not None:
        _say(f"whydied: {outcome.failure}", f"hint: {outcome.failure.hint}" if outcome.failure.hint else "")
    report = _finish(outcome, shown, settings, replay=replay, quiet=quiet)
    if json_file:
        _write_json(json_file, report)
    if not quiet and outcome.failure is None:
        try:
            from whydied.report.terminal.console import render

            render(report)
        except Exception as error:
            _say(
                f"whydied: the report could not be printed ({error!r}); try again with: whydied show "
                f"{outcome.directory.id}"
            )


def _prove(outcome: RunOutcome, settings: Config, json_file: str | None, quiet: bool) -> None:
    """Try what would mend the program; the JSON is replaced by one that has the verdicts. An interrupt ends the trials
    and not what is known of them, and nothing here changes the exit status."""
    from whydied.report.finish import stored_report
    from whydied.report.proving import ProofWish, proven
    from whydied.report.terminal.proof_display import display_on

    report = stored_report(outcome.directory)
    if report is None or report.cause is None:
        return
    try:
        with display_on(None if quiet else sys.stderr) as display:
            found = proven(outcome.directory, ProofWish(), display, settings.silence)
            display.concludes(found.report, found.proof)
    except KeyboardInterrupt:
        _say("whydied: the trials were stopped; what is known of them is kept")
    except WhydiedError as error:
        _say(f"whydied: {error}", f"hint: {error.hint}" if error.hint else "")
    except Exception as error:
        _say(f"whydied: internal error while trying what would mend the program: {error!r}")
    if json_file:
        _write_stored(json_file, outcome)


def _write_stored(json_file: str, outcome: RunOutcome) -> None:
    """With the verdicts of the trials in it."""
    from whydied.report.finish import stored_report

    if (report := stored_report(outcome.directory)) is not None:
        _write_json(json_file, report)


def _prune(settings: Config) -> None:
    """Keep the default directory from growing without end. One that the user named with --runs is left alone."""
    with contextlib.suppress(Exception):
        from whydied.cli import catalogue
        from whydied.report.keeping.retention import prune

        prune(catalogue.all_runs(None), keep_days=settings.keep_days, keep_bytes=settings.keep_bytes)


def _finish(outcome: RunOutcome, shown: list[str], settings: Config, *, replay: bool, quiet: bool) -> Report:
    try:
        from whydied.report.finish import finish
        from whydied.report.patience import patience

        with patience("making the report from the recording") if not quiet else contextlib.nullcontext():
            return finish(outcome.directory, silence=settings.silence, replay=replay, quiet=quiet)
    except Exception as error:
        _say(f"whydied: the report could not be made: {error!r}")
        return _bare_report(shown, error, outcome)


def _failed_before_start(error: Exception, shown: list[str], json_file: str | None) -> int:
    if isinstance(error, WhydiedError):
        _say(f"whydied: {error}", f"hint: {error.hint}" if error.hint else "")
    else:
        _say(f"whydied: internal error before the program started: {error!r}")
        if os.environ.get("WHYDIED_DEBUG") == "1":
            traceback.print_exception(error)
    if json_file:
        _write_json(json_file, _bare_report(shown, error, None))
    return NOT_STARTED


def _bare_report(shown: list[str], error: Exception, outcome: RunOutcome | None) -> Report:
    """A report without a diagnosis, for when the real one cannot be made."""
    from whydied import redact
    from whydied.report.summary import Report, RunFacts

    status = outcome.exit_status if outcome and outcome.failure is None else None
    died = status is not None and status > 128
    return Report(
        run=RunFacts(
            id=outcome.directory.id if outcome else "",
            argv=redact.arguments(shown),
            exit_code=None if died else status,
            signal=status - 128 if status is not None and died else None,
            directory=os.fspath(outcome.directory.path) if outcome else "",
        ),
        outcome="finished" if status == 0 else "died" if died else "failed",
        undetermined=f"whydied failed: {error}",
        internal_errors=[] if isinstance(error, WhydiedError) else ["".join(traceback.format_exception(error))],
    )


def _write_json(target: str, report: Report) -> None:
    """Whole or not at all: other programs read this file."""
    from whydied.report.finish import write_whole
    from whydied.report.summary import as_json

    try:
        data = as_json(report)
        path = Path(target)
        if target == "-":
            put_json(data)
        elif path.exists() and not path.is_file():
            # A device or a named pipe cannot be replaced, only written to.
            path.write_bytes(data)
        else:
            write_whole(path, data)
    except (OSError, ValueError, WhydiedError) as error:
        _say(f"whydied: {target}: {error}")


def _say_whole(text: str) -> None:
    """A note in the middle of the program's own output, in one piece. A terminal without output processing needs the
    carriage returns."""
    with contextlib.suppress(OSError):
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        shown = plain.spelled(text, encoding)
        os.write(2, (shown.replace("\n", "\r\n") if _is_raw(2) else shown).encode(encoding, "replace"))


def _is_raw(fd: int) -> bool:
    import termios

    try:
        return not termios.tcgetattr(fd)[1] & termios.OPOST
    except (termios.error, OSError):
        return False


def _say(*lines: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in lines:
            if line:
                say(line, err=True)
