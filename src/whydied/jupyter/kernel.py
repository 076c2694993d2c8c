"""The command of a kernelspec: supervises a Jupyter kernel, and says in its last cell why it died.

Runs in the supervisor, and is its entry point:

    python -m whydied.jupyter.kernel [OURS] -f CONNECTION_FILE [options of ipykernel]
    python -m whydied.jupyter.kernel [OURS] -f CONNECTION_FILE -- COMMAND OF ANOTHER KERNEL

    OURS: --memory-limit=SIZE, --memory-guard

Invariant: the kernel's sockets are its own, so all that clients say to it passes us by; a signal that Jupyter
sends to us reaches the kernel's group once; the kernel ends when we do, however that is, and we end when Jupyter does;
our exit status is the kernel's, death by a signal included; a failure of ours costs the report, never the kernel. The
key that signs messages is in no file, environment or message of ours.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # `-m` puts the notebook's directory first, and a json.py there is the notebook's, not ours.
    try:
        sys.path[:1] = [entry for entry in sys.path[:1] if entry not in ("", os.getcwd())]
    except OSError:
        # That directory is gone, and nothing was put first.
        pass

import contextlib
import re
import signal
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from whydied import config
from whydied.config import Config
from whydied.errors import WhydiedError
from whydied.jupyter import ending, unseen_reports
from whydied.jupyter.last_cell import LastCell
from whydied.jupyter.publishing import Connection
from whydied.places import RunDirectory, list_runs
from whydied.run import opening, signals
from whydied.run.command import Command
from whydied.run.supervise import Guest, RunOutcome, RunRequest, supervise

_ORDERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_HANG_AFTER_S = 120.0
"""As `whydied run` does. Nobody is told while the kernel lives: the stacks are for the report."""
_NAMELESS = "the notebook kernel"
_LIMIT = "--memory-limit="
_OPTIONS = {"--memory-guard": "memory-guard"}
_BARE_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)?)?")


class Words(NamedTuple):
    """A command line of ours: the kernel's own, and where it finds its ports and its key."""

    kernel: tuple[str, ...]
    connection_file: str | None
    memory_limit: str | None = None
    options: tuple[str, ...] = ()
    """Words for the recorder."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    words = parse(sys.argv[1:] if arguments is None else arguments)
    try:
        with signals.blocked() as mask:
            outcome = _attend(words, mask)
        if outcome.failure is not None:
            ending.say(f"whydied: {outcome.failure}")
    except Exception as error:
        # A kernel without a report is better than none.
        ending.say(f"whydied: this kernel is not recorded: {error}")
        ending.end_children()
        os.execvp(words.kernel[0], list(words.kernel))
    leave(outcome)


def parse(arguments: Sequence[str]) -> Words:
    """Our own words come first. Everything behind `--` is a kernel's command; without it, the rest is for ipykernel."""
    own = list(arguments)
    limit, options = None, []
    while own and (own[0] in _OPTIONS or own[0].startswith(_LIMIT)):
        word = own.pop(0)
        if word in _OPTIONS:
            options.append(_OPTIONS[word])
        else:
            limit = word.removeprefix(_LIMIT)
    kernel = [sys.executable, "-m", "ipykernel_launcher", *own]
    if "--" in own:
        at = own.index("--")
        own, kernel = own[:at], own[at + 1 :]
        if kernel and _BARE_PYTHON.fullmatch(kernel[0]):
            # Jupyter means its own interpreter by this word, but only where a command begins with it.
            kernel[0] = sys.executable
    return Words(tuple(kernel), _connection_file(own), limit, tuple(options))


def leave(outcome: RunOutcome) -> NoReturn:
    """End as the kernel did."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    if outcome.signal is not None:
        ending.end_by(outcome.signal)
    os._exit(outcome.exit_status)


def request(words: Words, settings: Config, place: unseen_reports.Place) -> RunRequest:
    """What to run, and how."""
    notebook = _notebook()
    connection = Connection.read(words.connection_file)
    started_by = os.environ.get("JPY_PARENT_PID")
    return RunRequest(
        command=Command("command", words.kernel),
        runs=settings.runs,
        name=os.path.basename(notebook) or None,
        memory_limit_bytes=config.parse_memory_limit(words.memory_limit) if words.memory_limit else None,
        options=words.options,
        wishes=opening.requests_from(settings),
        hang_after_s=_HANG_AFTER_S,
        guest=Guest(
            shown=(notebook or _NAMELESS,),
            # ipykernel ends when its parent is no longer this one; who started us is watched by us.
            environment=(("JPY_PARENT_PID", str(os.getpid())),) if started_by else (),
            is_orphan=orphan_watch(started_by, os.getppid),
            secrets=connection.secrets if connection else (),
            prepare=place.hand_on,
            started=lambda run: _look_back(run, place),
        ),
    )


def orphan_watch(started_by: str | None, parent: Callable[[], int]) -> Callable[[], bool] | None:
    """What tells whether Jupyter is gone, as ipykernel itself tells it; None where that cannot be told. Where something
    stands between Jupyter and us, we are orphans when the first process of the system adopts us."""
    first = parent()
    if not started_by or started_by == "1" or first == 1:
        return None
    if started_by == str(first):
        return lambda: parent() != first
    return lambda: parent() == 1


def _attend(words: Words, mask: Collection[int]) -> RunOutcome:
    settings = _settings()
    place = unseen_reports.Place.of(_notebook(), words.kernel)
    outcome = supervise(request(words, settings, place), mask)
    place.end(outcome.directory)
    if outcome.failure is None:
        try:
            _conclude(outcome, words, place, settings)
        except Exception as error:
            ending.say(
                f"whydied: the report could not be shown ({error!r}); try again with: whydied show "
                f"{outcome.directory.id}"
            )
    return outcome


def _look_back(run: RunDirectory, place: unseen_reports.Place) -> None:
    """See, while the kernel starts, whether an earlier one went down together with its supervisor."""

    def look() -> None:
        with contextlib.suppress(Exception):
            gone = place.begin(run)
            if gone:
                from whydied.jupyter.after_death import show_again

                show_again(gone[-1], run, place)

    threading.Thread(target=look, name="looking-back", daemon=True).start()


def _conclude(outcome: RunOutcome, words: Words, place: unseen_reports.Place, settings: Config) -> None:
    """Say why a kernel died. One that was told to end, or that ended in order, is not spoken of."""
    cells = LastCell(outcome.directory, outcome.pid or 0)
    is_well = outcome.exit_status == 0 and (cells.running is None or cells.left_in_order)
    if not is_well and outcome.signal not in _ORDERS:
        # Much of ours is needed for that, and only now.
        from whydied.jupyter.after_death import tell

        tell(outcome, cells, words.connection_file, place, settings)
    with contextlib.suppress(Exception):
        from whydied.report.keeping.retention import prune

        runs = list_runs(outcome.directory.path.parent)
        prune(runs, keep_days=settings.keep_days, keep_bytes=settings.keep_bytes)


def _notebook() -> str:
    """Its path, where Jupyter tells."""
    return os.environ.get("JPY_SESSION_NAME") or ""


def _connection_file(own: Sequence[str]) -> str | None:
    for at, word in enumerate(own):
        if word == "-f" and at + 1 < len(own):
            return own[at + 1]
        name, sign, value = word.partition("=")
        if sign and name in ("-f", "--f", "--IPKernelApp.connection_file"):
            return value
    return None


def _settings() -> Config:
    """A configuration with a mistake in it must not keep a kernel from starting."""
    try:
        return config.load(Path.cwd())
    except (OSError, WhydiedError) as error:
        ending.say(f"whydied does not apply the configuration: {error}")
        return Config()


if __name__ == "__main__":
    main()
