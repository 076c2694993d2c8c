"""The stacks of every thread of every process of the program, for one that makes no progress; runs in the parent, on a
thread of its own.

Each recorder inside is asked by a file and answers in its stream: that needs no rights, stops nothing, and knows the
locks. A process that does not answer (its interpreter is held by native code, its recorder's thread is not there, it is
another Python) is read from outside by py-spy where that is installed and allowed, without stopping it. What always
holds: all of it takes at most `patience_s` and a little; a process that could not be read says why.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from whydied import places, wire
from whydied.places import RunDirectory
from whydied.read.kept_sources import current_sources
from whydied.read.path_owner import is_user_path, real_path
from whydied.read.waiting import NO_PYTHON
from whydied.records import Frame, ProcessWait, StacksTaken, ThreadStack
from whydied.records.hangs import INNERMOST, LONGEST_LINE, POOLS, bounded, fitting, own_part, ranked
from whydied.run import command
from whydied.run.observe import kernel_tasks
from whydied.source.text import Source

PATIENCE_S = 2.5
LARGEST_PROCESSES = 24
_LOOK_S = 0.05
_SPY_S = 3.0


class Gathered(NamedTuple):
    """`stacks` are those that nobody has recorded yet, `answered` those that a recorder inside wrote itself."""

    processes: list[ProcessWait]
    stacks: list[StacksTaken]
    answered: list[StacksTaken]


def gather(
    directory: RunDirectory,
    pids: list[int],
    moment: int,
    before: dict[int, dict[int, int]],
    patience_s: float = PATIENCE_S,
) -> Gathered:
    """The stacks and the kernel's words of some processes. `before` are the switches of their threads, by process, when
    progress was last seen."""
    seen = [wait for pid in pids[:LARGEST_PROCESSES] if (wait := kernel_tasks.process_wait(pid, before.get(pid, {})))]
    living = [wait.pid for wait in seen if wait.state not in "ZXT"]
    asked = [pid for pid in living if any(directory.streams.glob(f"process-{pid}-*.key.*.rec"))]
    for pid in asked:
        _ask(directory, pid, moment)
    answered = _answers(directory, asked, moment, patience_s)
    for pid in asked:
        with contextlib.suppress(OSError):
            places.stacks_request(directory, pid).unlink()
    stacks: list[StacksTaken] = []
    processes: list[ProcessWait] = []
    for wait in seen:
        if wait.pid in answered or wait.pid not in living:
            processes.append(wait)
            continue
        taken, reason = (
            _spy(directory, wait.pid, moment) if _is_python(wait) or wait.pid in asked else (None, NO_PYTHON)
        )
        stacks += [taken] if taken is not None else []
        processes.append(msgspec.structs.replace(wait, without=reason))
    return Gathered(bounded(processes), stacks, list(answered.values()))


def spy_path() -> str | None:
    """py-spy, where it is installed beside us or on the PATH."""
    beside = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    found = (shutil.which("py-spy", path=folder) for folder in beside)
    return next((path for path in found if path), None) or shutil.which("py-spy")


def _ask(directory: RunDirectory, pid: int, moment: int) -> None:
    with contextlib.suppress(OSError):
        places.replace_whole(places.stacks_request(directory, pid), str(moment).encode())


def _answers(directory: RunDirectory, pids: list[int], moment: int, patience_s: float) -> dict[int, StacksTaken]:
    found: dict[int, StacksTaken] = {}
    give_up = time.monotonic() + patience_s
    while len(found) < len(pids) and time.monotonic() < give_up:
        time.sleep(_LOOK_S)
        for pid in pids:
            if pid not in found and not places.stacks_request(directory, pid).exists():
                answer = _answer(directory, pid, moment)
                if answer is not None:
                    found[pid] = answer
    return found


def _answer(directory: RunDirectory, pid: int, moment: int) -> StacksTaken | None:
    """What a recorder wrote last, in the end of its stream."""
    for path in sorted(directory.streams.glob(f"process-{pid}-*.key.*.rec"), reverse=True)[:2]:
        with contextlib.suppress(OSError):
            for entry in reversed(wire.read_segment(path.read_bytes()).entries):
                if isinstance(entry.record, StacksTaken) and entry.record.moment == moment:
                    return entry.record
    return None


def _is_python(wait: ProcessWait) -> bool:
    try:
        return "python" in os.path.basename(os.readlink(f"/proc/{wait.pid}/exe"))
    except OSError:
        return "python" in wait.name


def _spy(directory: RunDirectory, pid: int, moment: int) -> tuple[StacksTaken | None, str]:
    path = spy_path()
    if path is None:
        return None, "its recorder did not answer, and py-spy is not installed (pip install whydied[hang])"
    # A process that is not stopped may move while it is read.
    taken, reason = _dump(path, directory, pid, moment)
    return (taken, reason) if taken is not None else _dump(path, directory, pid, moment)


def _dump(path: str, directory: RunDirectory, pid: int, moment: int) -> tuple[StacksTaken | None, str]:
    try:
        done = subprocess.run(
            [path, "dump", "--json", "--nonblocking", "--full-filenames", "--pid", str(pid)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SPY_S,
            env=command.plain_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"py-spy failed: {error}"[:200]
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return None, f"py-spy could not read it: {lines[0] if lines else done.returncode}"[:200]
    try:
        return _taken(directory, pid, moment, msgspec.json.decode(done.stdout, type=list[_SpyThread])), ""
    except msgspec.MsgspecError as error:
        return None, f"py-spy's answer could not be parsed: {error}"[:200]


class _SpyFrame(msgspec.Struct):
    name: str
    filename: str
    line: int = 0


class _SpyThread(msgspec.Struct):
    thread_id: int
    thread_name: str | None = None
    os_thread_id: int | None = None
    frames: list[_SpyFrame] = []


def _taken(directory: RunDirectory, pid: int, moment: int, threads: list[_SpyThread]) -> StacksTaken:
    cwd = _link(f"/proc/{pid}/cwd")
    files = {real_path(frame.filename, cwd) for one in threads for frame in one.frames if is_user_path(frame.filename)}
    sources = current_sources(directory.sources, files)
    found = [
        ThreadStack(
            name=one.thread_name or f"native-{one.thread_id}",
            ident=one.thread_id,
            native_id=one.os_thread_id,
            main=one.os_thread_id == pid,
            frames=_frames(one.frames[: _own(one.frames)], cwd, sources),
            forked_at=next(
                (_frame(f, cwd, sources) for f in one.frames[_own(one.frames) :] if is_user_path(f.filename)), None
            ),
        )
        for one in threads
    ]
    return fitting(StacksTaken(pid=pid, how="py-spy", moment=moment, threads=ranked(found)))


def _frames(frames: list[_SpyFrame], cwd: str, sources: dict[str, Source]) -> list[Frame]:
    """The innermost frames and the user's above them, the innermost last; see `inside.thread_stacks`."""
    kept = [
        _frame(frame, cwd, sources)
        for depth, frame in enumerate(frames[:300])
        if depth < INNERMOST or is_user_path(frame.filename) or frame.filename.endswith(POOLS)
    ][: 2 * INNERMOST]
    kept.reverse()
    return kept


def _own(frames: list[_SpyFrame]) -> int:
    # py-spy names methods by their class.
    return own_part((frame.filename, frame.name.rpartition(".")[2]) for frame in frames)


def _frame(frame: _SpyFrame, cwd: str, sources: dict[str, Source]) -> Frame:
    # py-spy names methods by their class.
    function = frame.name.rpartition(".")[2]
    if not is_user_path(frame.filename):
        return Frame(file=frame.filename, line=frame.line, function=function)
    file = real_path(frame.filename, cwd)
    source = sources.get(file)
    statement = source.statement(frame.line) if source else None
    text = source.lines[frame.line - 1].strip()[:LONGEST_LINE] if source and statement else ""
    return Frame(
        file=file,
        line=statement.line if statement else frame.line,
        end_line=statement.end_line if statement else None,
        function=function,
        user=True,
        source=text,
    )


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return str(Path.cwd())
