"""Runs the program again in the sandbox, as it is or changed, and reads what was recorded; runs in the parent.

Invariant: nothing that a trial started is alive when it returns, nothing that it wrote outlives it, and its memory and
its time are bounded. The program's own input is empty, and its output goes nowhere.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from whydied import places
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.prove.kernel_cells import NOTEBOOK
from whydied.prove.observed import Observed, observed
from whydied.prove.sandbox import Mechanism, Wanted, clear, entered, notes, original
from whydied.prove.sandbox.clearing import remove_tree
from whydied.prove.terms import Terms
from whydied.read.recording import load

_BOX = "box"
_NOT_STARTED = 125
_POLL_S = 0.05
_LOOK_S = 0.5
"""Between two looks at its memory: each asks for all processes of the machine."""
_STARTS_S = 30.0
"""For Python to start, for what a supervisor does after the end, and for a busy machine."""
_SHARE = 0.9
"""Of the memory that is free when no limit is known."""


class Trial(NamedTuple):
    """`seen` is None where the program could not be run; then `problem` says why."""

    seen: Observed | None
    case: Case | None = None
    diagnosis: Diagnosis | None = None
    problem: str = ""


class Pulse(NamedTuple):
    """A look at a trial that goes on."""

    seconds: float
    limit_s: float
    rss_bytes: int
    limit_bytes: int


Watch = Callable[[Pulse], None]


class Start(NamedTuple):
    """What each trial begins with: contents of files that differ from the user's, and the directory with the states of
    its trainings, "" for none."""

    files: Mapping[str, bytes] = {}
    backup: str = ""


FRESH = Start()


class Laboratory:
    """A place for trials of one program."""

    def __init__(
        self, terms: Terms, mechanism: Mechanism, *, allow_network: bool, watch: Watch, start: Start = FRESH
    ) -> None:
        self.terms = terms
        self.mechanism = mechanism
        self.start = start
        self._allow_network = allow_network
        self._watch = watch
        self.limit_bytes = terms.memory_limit_bytes or round(_SHARE * _available_bytes())

    def run(self, files: Mapping[str, bytes], limit_s: float) -> Trial:
        """A run with other contents of some files, ended after a time."""
        with _scratch() as scratch:
            return self._run(scratch, files, limit_s)

    def rehearse(self, stage: list[str], task: bytes, program: list[str], limit_s: float) -> list[bytes]:
        """What a stage said, line by line, that was given a task and a program; it is ended after a time."""
        with _scratch() as scratch:
            results = os.path.join(scratch, "results")
            shown = _written(os.path.join(scratch, "shown"), self.start.files)
            wanted = Wanted(
                scratch=os.path.join(scratch, _BOX),
                writable=[results],
                shown=shown,
                allow_network=self._allow_network,
                memory_bytes=self.limit_bytes,
                project=self.terms.root,
            )
            for place in (results, wanted.scratch):
                os.mkdir(place, 0o700)
            given, said = os.path.join(results, "task"), os.path.join(results, "said")
            Path(given).write_bytes(task)
            self._attend(entered(wanted, [*stage, given, said, *program], self.mechanism), limit_s, grace_s=0.0)
            try:
                return Path(said).read_bytes().splitlines()
            except OSError:
                return []

    def _run(self, scratch: str, files: Mapping[str, bytes], limit_s: float) -> Trial:
        runs = os.path.join(scratch, "runs")
        shown = _written(os.path.join(scratch, "shown"), {**self.start.files, **files})
        notebook = shown.pop(NOTEBOOK, None)
        wanted = Wanted(
            scratch=os.path.join(scratch, _BOX),
            writable=[runs],
            shown=shown,
            allow_network=self._allow_network,
            project=self.terms.root,
        )
        for place in (runs, wanted.scratch):
            os.mkdir(place, 0o700)
        argv = [sys.executable, "-m", "whydied", "run", "--quiet", "--no-replay", "--runs", runs]
        argv += ["--backup", self.start.backup] if self.start.backup else []
        argv += ["--timeout", f"{limit_s:.0f}s", "--memory-limit", str(self.limit_bytes)]
        argv += [notebook, "--directory", self.terms.cwd] if notebook else self.terms.words
        problem = self._attend(entered(wanted, argv, self.mechanism), limit_s)
        told = notes(wanted.scratch)
        return self._read(wanted, runs, told[-1] if problem and told else problem)

    def _attend(self, argv: list[str], limit_s: float, grace_s: float = _STARTS_S) -> str:
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                argv,
                cwd=self.terms.cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=_environment(),
                start_new_session=True,
            )
            began_s = time.monotonic()
            looked_s = -_LOOK_S
            try:
                while process.poll() is None:
                    taken_s = time.monotonic() - began_s
                    if taken_s > limit_s + grace_s:
                        return "it could not be ended in time"
                    if taken_s - looked_s >= _LOOK_S:
                        looked_s = taken_s
                        self._watch(Pulse(taken_s, limit_s, _resident(process.pid), self.limit_bytes))
                    time.sleep(_POLL_S)
            finally:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            errors.seek(0)
            last = errors.read()[-400:].decode("utf-8", "replace").strip()
        return last.splitlines()[-1] if last and process.returncode == _NOT_STARTED else ""

    def _read(self, wanted: Wanted, runs: str, problem: str) -> Trial:
        found = places.list_runs(Path(runs))
        if not found:
            return Trial(None, problem=problem or "it left no recording")
        recording = load(found[-1])
        if not recording.complete or recording.program is None:
            return Trial(None, problem=problem or "its recording has no end")
        case = Case(recording)
        diagnosis = diagnose(recording, case=case)
        seen = observed(case, diagnosis)
        # A mechanism that ran a copy of the project has the copy's paths.
        stack = (call._replace(file=original(wanted, call.file, self.mechanism)) for call in seen.stack)
        return Trial(seen._replace(stack=tuple(stack)), case, diagnosis)


def _written(place: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """The contents in files of ours, by the paths of the user's."""
    os.mkdir(place, 0o700)
    found = {}
    for number, (path, data) in enumerate(files.items()):
        found[path] = os.path.join(place, f"{number}-{os.path.basename(path)}")
        with open(found[path], "wb") as file:
            file.write(data)
        with contextlib.suppress(OSError):
            shutil.copymode(path, found[path])
    return found


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("WHYDIED_")}


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    # In the temporary directory, which is never the user's project; short, because sockets lie below it.
    place = tempfile.mkdtemp(prefix="whydied-trial-")
    try:
        yield os.path.realpath(place)
    finally:
        clear(os.path.join(place, _BOX))
        remove_tree(place)


def _resident(pid: int) -> int:
    """Memory of all processes below one."""
    import psutil

    total = 0
    with contextlib.suppress(psutil.Error):
        for one in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                total += one.memory_info().rss
    return total


def _available_bytes() -> int:
    import psutil

    return int(psutil.virtual_memory().available)
