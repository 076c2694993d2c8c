"""Where things are: the directory of all runs, the directory of one run, and the words that tell a child about it.

Runs in every process of ours. A run's directory:

    <runs>/<id>/
      streams/     the recording, see `whydied.wire`: "supervisor", "terminal" and one "process-…" a process
      faults/      what faulthandler wrote when a process crashed, one <pid>.txt each; until the parent has read it,
                   also what our own handler kept, <pid>.crash: see `whydied.native.dump_layout`
      contracts/   rows that broke a data contract, one .npy file each
      preflight/   a step that was traced and not run, see `whydied.graph.traced_step`
      graphs/      tables of traced functions, see `whydied.graph.op_table`
      sources/     the user's own files as they were when they were loaded, see `whydied.source_copy`
      aftermath.json  what was found on the machine afterwards: where the supervisor could not finish the recording, and
                   pictures that are none
      numerics/    steps with values that are not finite, see `whydied.records.numerics`
      processes    one byte for each process that records, so that their number is bounded
      wishes.json  what the recorder is asked to look for, see `whydied.records.watched`; only where it was asked
      tensorboard/ event files of watched tensors
      peek-<pid>   a request for a census of a living process; taken away when it is answered
      stacks-<pid> a request for the stacks of all threads of a process that makes no progress; taken away the same way
      unseen.json  the report of an earlier kernel of the notebook that nobody saw, to be shown at the first cell
      backup/      states of trainings for another start of the program, see `whydied.inside.resuming.fit_backups`
      guard/       weights of a model that the memory guard saved
      healing/     edited files that the next start of the program reads, as long as it runs
      healed.patch what a healed run changed in the user's files
      copy/        what a copy of the process that died was asked, and what it answered, see
                   `whydied.inside.trials.held_copy`; gone when the report is made
      checks.json  what came of that: a `whydied.prove.proof`
      proof.json   what was tried on the program afterwards, see `whydied.prove.proof`; proof-cell-<n>.json for a cell
                   of a kernel that lives
      report.json  the finished report
      applied.json the fixes that `whydied fix` wrote into the user's files, see `whydied.prove.patching.application`

Only its owner may read it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from whydied.errors import NoRoom

ENV_RUN = "WHYDIED_RUN"
"""In the program's environment: the directory of the run that its processes record into."""
ENV_HOME = "WHYDIED_HOME"
"""In the program's environment: the directory that holds the package `whydied`, for other environments."""
ENV_OPTIONS = "WHYDIED_OPTIONS"
"""In the program's environment: words for the recorder, separated by commas (`pdb`, `stop-on-nan`, `no-numerics`,
`program-guard`, `hold-copy`, `estimate` and `calibrate`; in a notebook `memory-guard`, `no-memory-warning`,
`notebook-run`)."""
ENV_MEMORY_LIMIT = "WHYDIED_MEMORY_LIMIT"
"""In the program's environment: the bytes of a limit that the supervisor watches, which no file of the system tells."""
ENV_RUNS = "WHYDIED_RUNS"
"""Set by the user: the directory of all runs."""

SUPERVISOR_STREAM = "supervisor"
TERMINAL_STREAM = "terminal"


class RunDirectory(NamedTuple):
    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def streams(self) -> Path:
        return self.path / "streams"

    @property
    def faults(self) -> Path:
        return self.path / "faults"

    @property
    def sources(self) -> Path:
        return self.path / "sources"

    @property
    def aftermath(self) -> Path:
        return self.path / "aftermath.json"

    @property
    def wishes(self) -> Path:
        return self.path / "wishes.json"

    @property
    def report(self) -> Path:
        return self.path / "report.json"

    @property
    def proof(self) -> Path:
        return self.path / "proof.json"

    @property
    def checks(self) -> Path:
        return self.path / "checks.json"

    @property
    def applied(self) -> Path:
        return self.path / "applied.json"

    def make(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True)
            self.streams.mkdir(mode=0o700)
            self.faults.mkdir(mode=0o700)
        except OSError as error:
            raise NoRoom(
                f"cannot write a recording to {self.path.parent}: {error.strerror or error}",
                "name a writable directory with --runs DIR",
            ) from error


def copy_directory(run: str) -> str:
    return os.path.join(run, "copy")


def peek_request(directory: RunDirectory, pid: int) -> Path:
    return directory.path / f"peek-{pid}"


def stacks_request(directory: RunDirectory, pid: int) -> Path:
    return directory.path / f"stacks-{pid}"


def cell_proof(directory: RunDirectory, cell: int) -> Path:
    return directory.path / f"proof-cell-{cell}.json"


def unseen_report(directory: RunDirectory) -> Path:
    return directory.path / "unseen.json"


def default_runs() -> Path:
    """`$WHYDIED_RUNS`, else the user's state directory, else (no HOME) a place in the temporary directory."""
    chosen = os.environ.get(ENV_RUNS)
    if chosen:
        return Path(chosen).absolute()
    state = os.environ.get("XDG_STATE_HOME")
    if state and os.path.isabs(state):
        return Path(state) / "whydied" / "runs"
    home = os.environ.get("HOME")
    if home and os.path.isabs(home):
        return Path(home) / ".local" / "state" / "whydied" / "runs"
    return fallback_runs()


def fallback_runs() -> Path:
    return Path(tempfile.gettempdir()) / f"whydied-{_user()}" / "runs"


def _user() -> str:
    """A word for the user: there is no number on Windows."""
    return str(os.getuid()) if hasattr(os, "getuid") else re.sub(r"\W", "_", os.environ.get("USERNAME", "user"))


def new_run(runs: Path | None, label: str) -> tuple[RunDirectory, str | None]:
    """A fresh run directory. Where the default place cannot be written, a temporary one, with the reason; a place that
    the user named is used or refused, never replaced."""
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{_slug(label)}-{secrets.token_hex(3)}"
    if runs is not None:
        directory = RunDirectory(runs.absolute() / name)
        directory.make()
        return directory, None
    directory = RunDirectory(default_runs() / name)
    try:
        directory.make()
        return directory, None
    except NoRoom as error:
        spare = RunDirectory(fallback_runs() / name)
        spare.make()
        return spare, str(error)


def list_runs(runs: Path) -> list[RunDirectory]:
    """All runs of a directory, the newest last."""
    found: list[tuple[float, RunDirectory]] = []
    with contextlib.suppress(OSError), os.scandir(runs) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if (Path(entry.path) / "streams").is_dir():
                    found.append((entry.stat().st_ctime, RunDirectory(Path(entry.path))))
    return [run for _, run in sorted(found, key=lambda pair: (pair[1].id[:15], pair[0]))]


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:32] or "run"


def working_directory() -> str:
    """Empty where it was removed under our feet."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def names_in(directory: str | Path) -> list[str]:
    """What a directory has, sorted; nothing where it cannot be read."""
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def replace_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file so that a reader sees all of it or nothing. Raises OSError, and then leaves what was there."""
    fd, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
