"""Makes the report of a run: reads its recording, diagnoses, and keeps the result beside it. Runs in the parent, or in
any later `whydied show` that finds a recording whose supervisor could not finish it.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import msgspec

from whydied import source_copy
from whydied.diagnose.case import Case, signal_name
from whydied.diagnose.engine import diagnose
from whydied.diagnose.numerics.bad_steps import Step, steps_of
from whydied.diagnose.numerics.expected_nan import is_expected
from whydied.errors import NoRoom
from whydied.places import RunDirectory, copy_directory, replace_whole
from whydied.prove import proof as proofs
from whydied.prove.copy_trials import tried_in_copy
from whydied.prove.guesses.enumeration import guesses
from whydied.prove.patching.notebook_patches import with_patch_of_file
from whydied.prove.proof import Proof, settled
from whydied.read.recording import Recording, load
from whydied.records import SourceKept
from whydied.report.aftermath import look_around
from whydied.report.ledger import memory_facts
from whydied.report.notebook_cells import cells_of
from whydied.report.patience import patience
from whydied.report.pictures import looked_at
from whydied.report.summary import MemoryFacts, Report, RunFacts, as_json, from_json
from whydied.report.watched import watched_tensors
from whydied.run import replay_process as replays

MOST_STEPS = 3
"""How many captured steps are run again at most, those that matter most first."""


def finish(
    directory: RunDirectory, *, silence: tuple[str, ...] = (), replay: bool = True, quiet: bool = False
) -> Report:
    """The report of a run: the stored one, or a new one, which is stored where the run is over. With `replay` a step
    that went wrong is run again first."""
    stored = stored_report(directory)
    if stored is not None:
        return stored
    recording = load(directory)
    looks = not recording.complete and not directory.aftermath.exists()
    if looks:
        recording = load(directory, look_around(directory, recording))
    over = recording.complete or not (recording.aftermath.supervisor_alive or recording.aftermath.program_alive)
    if over and recording.aftermath.same_machine:
        _complete(recording, looked=looks)
        recording = replayed(recording, quiet=quiet) if replay else recording
        checked(recording, silence, quiet=quiet)
    report = compose(recording, silence)
    if over and recording.aftermath.same_machine:
        # The report can always be made again from the recording, so a full disk takes nothing away.
        with contextlib.suppress(NoRoom):
            write_whole(directory.report, as_json(report))
    return report


def _complete(recording: Recording, *, looked: bool) -> None:
    """Put into the recording what this report is made from and another one could not find any more: the user's files
    that no recorder inside has kept, pictures that are none, the cells of a notebook, and what the machine said of a
    run whose supervisor died."""
    directory = recording.directory
    inside = {kept.file for process in recording.processes for kept in process.all(SourceKept)}
    for file in recording.sources.keys() - inside:
        version = source_copy.version_of(file)
        if version is not None:
            with contextlib.suppress(OSError, source_copy.NotKept):
                source_copy.keep(str(directory.path), file, version)
    pictures = recording.aftermath.pictures or looked_at(recording)
    cells = recording.aftermath.cells or cells_of(recording)
    recording.aftermath = msgspec.structs.replace(recording.aftermath, pictures=pictures, cells=cells)
    if looked or pictures is not None or cells:
        with contextlib.suppress(NoRoom):
            write_whole(directory.aftermath, msgspec.json.encode(recording.aftermath))


def stored_report(directory: RunDirectory) -> Report | None:
    try:
        return from_json(directory.report.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def compose(recording: Recording, silence: tuple[str, ...] = (), proof: Proof | None = None) -> Report:
    """The report as a value, with the verdicts of the proof that is kept beside the recording or of another one."""
    case = Case(recording)
    kept = (proofs.read(file) for file in (recording.directory.proof, recording.directory.checks))
    diagnosis = settled(diagnose(recording, silence, case), proof or next(filter(None, kept), None))
    errors = [*recording.internal_errors, *diagnosis.errors]
    try:
        memory = memory_facts(case)
    except Exception as error:
        # The diagnosis must not be lost for a table that could not be made.
        memory = MemoryFacts()
        errors.append(f"memory facts: {error!r}")
    return Report(
        run=_run_facts(recording),
        outcome=diagnosis.outcome,
        death=diagnosis.death,
        cause=diagnosis.cause,
        findings=diagnosis.findings,
        notes=diagnosis.notes,
        fixes=[with_patch_of_file(recording, fix) for fix in diagnosis.fixes],
        memory=memory,
        watched=watched_tensors(recording),
        undetermined=diagnosis.undetermined,
        internal_errors=errors,
    )


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees all of it or nothing."""
    try:
        replace_whole(path, data, 0o600 if path.name in ("report.json", "aftermath.json") else 0o666 & ~_umask())
    except OSError as error:
        raise NoRoom(
            f"cannot write {path}: {error.strerror or error}", "name a file in a writable directory"
        ) from error


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current


def _run_facts(recording: Recording) -> RunFacts:
    started, ended = recording.started, recording.ended
    number = ended.signal if ended else None
    return RunFacts(
        id=recording.directory.id,
        argv=started.argv if started else [],
        exit_code=ended.exit_code if ended else None,
        signal=number,
        signal_name=signal_name(number) if number is not None else None,
        wall_s=ended.wall_s if ended else _wall_s(recording),
        versions=recording.versions,
        labels=started.labels if started else {},
        name=started.name if started else None,
        cwd=started.cwd if started else "",
        started=time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(started.wall_time_s)) if started else "",
        directory=str(recording.directory.path),
    )


def _wall_s(recording: Recording) -> float | None:
    """Until the last record of any process, where no wait status tells."""
    times = [entry.at_ns for stream in recording.streams for entry in (stream.entries[:1] + stream.entries[-1:])]
    return (max(times) - min(times)) / 1e9 if times else None


def checked(recording: Recording, silence: tuple[str, ...] = (), *, quiet: bool = False) -> None:
    """Try what the report would advise, where the program left a copy of itself behind, and keep what came of it."""
    directory = recording.directory
    if not os.path.isdir(copy_directory(str(directory.path))):
        return
    with patience("trying what would mend it; Ctrl-C skips that") if not quiet else contextlib.nullcontext():
        case = Case(recording)
        found = tried_in_copy(directory, case, diagnose(recording, silence, case), guesses)
    if found is not None:
        with contextlib.suppress(OSError):
            proofs.write(directory.checks, found)


class _AtTerminal(replays.Waiting):
    """Says that a step is replayed, and that it can be skipped."""

    def __init__(self) -> None:
        self._shown = contextlib.ExitStack()

    def begin(self) -> None:
        self._shown.enter_context(patience("replaying the bad step; Ctrl-C skips it"))

    def end(self) -> None:
        self._shown.close()


def replayed(recording: Recording, *, quiet: bool = False) -> Recording:
    """The recording with the results of its replays. Stops at the first step that gave its bad values again."""
    waiting = replays.Waiting() if quiet else _AtTerminal()
    # What the program tests for itself is not worth anybody's time after a healthy end.
    failed = Case(recording).exit_code != 0
    wanted = [
        step
        for step in steps_of(recording)
        if not is_expected(recording, step.captured, step.taken.replay, failed=failed)
    ]
    for step in wanted[:MOST_STEPS]:
        again = step.taken.replay
        if again is None and step.taken.capture is not None:
            went_on = _replay(recording, step, waiting)
            recording = load(recording.directory, recording.aftermath)
            again = recording.taken[step.captured.directory].replay
            if not went_on:
                break
        if again is not None and again.status == "reproduced":
            break
    return recording


def _replay(recording: Recording, step: Step, waiting: replays.Waiting) -> bool:
    python = replays.interpreter(step.process.began.executable if step.process.began else "")
    return python is None or replays.replay(recording.directory.path / step.captured.directory, python, waiting=waiting)
